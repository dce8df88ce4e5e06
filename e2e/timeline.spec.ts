// What happened in a run, over time: bars for queue, tries, decisions and lists, the critical path, live growth.
import type { Page } from '@playwright/test'
import AxeBuilder from '@axe-core/playwright'
import { restClient } from '@/testing/rest-client'
import { expect, expectSameDocument, markDocument, test } from './fixture'
import { asking } from './pipelines'
import { eventful, timedWork } from './timed-pipelines'

test.use({ serverEnv: { PENSTOCK_MAX_CONCURRENT_TASKS: '1' } })

test.beforeAll(async ({ server }) => {
  const rest = restClient(server)
  await rest.define(eventful('timeline_eventful', 400))
  await rest.define(timedWork('timeline_work', 1_500))
  await rest.define(asking('timeline_asked'))
})

const chart = (page: Page) => page.getByRole('treegrid', { name: 'What each node did over time' })
const row = (page: Page, key: string) => page.locator(`[data-row="${key}"]`)
const bars = (page: Page, key: string) => row(page, key).locator('[data-kind]')
const kinds = (page: Page, key: string) =>
  bars(page, key).evaluateAll((all) => all.map((bar) => `${bar.dataset['kind']} ${bar.dataset['status']}`))
const times = (page: Page, key: string) =>
  bars(page, key).evaluateAll((all) =>
    all.map((bar) => [Number(bar.dataset['from']), Number(bar.dataset['to'])]),
  )
const sumOfLinks = (page: Page) =>
  page
    .getByRole('list', { name: 'Critical path' })
    .getByRole('listitem')
    .evaluateAll((all) => all.reduce((sum, link) => sum + Number(link.dataset['ms']), 0))

test('[H-4] a queue, tries, a list and a decision have their bars, and the links of the critical path sum to the run', async ({
  page,
  rest,
}) => {
  const id = await rest.start('timeline_eventful')
  await page.goto(`/executions/${id}`)
  await page.getByRole('navigation', { name: 'Run' }).getByRole('link', { name: 'Timeline' }).click()
  await expect(page).toHaveURL(new RegExp(`/executions/${id}/timeline`))
  await markDocument(page)
  await expect(bars(page, 'ask').and(page.locator('[data-kind=waiting]'))).toHaveCount(1)
  await expect(bars(page, 'ask')).toHaveAttribute('aria-label', /^Waits for a decision: .* and goes on/)
  // Long enough to be longer than a fifth of what moved: it is drawn short, with its duration.
  await expect(page.locator('[data-break]')).toHaveCount(1, { timeout: 60_000 })
  await page.getByRole('button', { name: 'True scale' }).click()
  await expect(page.locator('[data-break]')).toHaveCount(0)
  await page.getByRole('button', { name: 'True scale' }).click()
  await rest.decide(id, 'ask', 'approved')
  await expect(page).toHaveTitle(/Completed, with a failure handled · /)
  await expectSameDocument(page)

  // The longer way to the end goes first. A process may take a moment to begin, which has its own bar.
  const work = async (node: string) => (await kinds(page, node)).filter((kind) => kind !== 'waiting waiting')
  expect(await work('first')).toEqual(['queued queued', 'running completed'])
  expect(await work('second')).toEqual(['running completed'])
  expect(await kinds(page, 'again')).toEqual(['running failed', 'retrying retrying', 'running failed'])
  expect(await kinds(page, 'ask')).toEqual(['waiting waiting'])
  await expect(row(page, 'items')).toContainText('3 items')

  // Every instant is that of the events.
  const events = await rest.events(id)
  const at = (type: string, nth = 0) =>
    Date.parse(events.filter((event) => event.type === type)[nth]!.timestamp)
  expect(await times(page, 'again')).toEqual([
    [at('again.task.started'), at('again.task.failed')],
    [at('again.retrying'), at('again.task.started', 1)],
    [at('again.task.started', 1), at('again.task.failed', 1)],
  ])
  expect(await times(page, 'ask')).toEqual([[at('ask.waiting'), at('ask.completed')]])

  await row(page, 'items').getByRole('button', { name: 'Unfold the items of items' }).click()
  for (const item of [0, 1, 2]) {
    expect(await work(`items/${item}`)).toEqual(['running completed'])
    const own = await times(page, `items/${item}`)
    expect([own[0]![0], own.at(-1)![1]]).toEqual([
      at('items.task.started', item),
      at('items.task.completed', item),
    ])
  }

  const { metrics } = await rest.execution(id)
  const duration = Math.round((metrics.execution_duration_seconds ?? 0) * 1_000)
  expect(duration).toBeGreaterThan(0)
  expect(await sumOfLinks(page)).toBe(duration)
  const path = page.getByRole('list', { name: 'Critical path' })
  await expect(path).toContainText(/May it go on\? waits/)
  await expect(path).toContainText(/in the queue/)
})

test('a bar that goes on grows, and ends with the decision it waits for', async ({ page, rest }) => {
  const id = await rest.start('timeline_asked')
  await page.goto(`/executions/${id}/timeline`)
  const bar = bars(page, 'ask')
  await expect(bar).toHaveAttribute('aria-label', /^Waits for a decision: .* and goes on/)
  const told = async () => (await bar.getAttribute('aria-label')) ?? ''
  const width = async () => (await bar.boundingBox())?.width ?? 0
  const first = { text: await told(), width: await width() }
  await expect.poll(told).not.toBe(first.text)
  expect(await width()).toBeGreaterThanOrEqual(first.width)
  await rest.decide(id, 'ask', 'approved')
  await expect(bar).toHaveAttribute('aria-label', /^Waits for a decision, approved: /)
  const { nodes } = await rest.execution(id)
  expect(await times(page, 'ask')).toEqual([
    [Date.parse(nodes['ask']?.started_at ?? ''), Date.parse(nodes['ask']?.finished_at ?? '')],
  ])
})

test('is walked by keys, zoomed, and leads to the node', async ({ page, rest }) => {
  const id = await rest.start('timeline_work')
  await expect.poll(async () => (await rest.execution(id)).status, { timeout: 60_000 }).toBe('completed')
  await page.goto(`/executions/${id}/timeline`)
  const tip = page.getByRole('tooltip', { includeHidden: true })
  await chart(page).focus()
  await page.keyboard.press('ArrowDown')
  // Before the work its process begins, where that took a moment.
  await expect(async () => {
    await page.keyboard.press('ArrowRight')
    await expect(tip).toContainText('Attempt 1, completed', { timeout: 500 })
  }).toPass()
  await expect(tip).toContainText(/Took\s*1\./)
  const work = bars(page, 'work').and(page.locator('[data-kind=running]'))
  const width = async () => (await work.boundingBox())?.width ?? 0
  const whole = await width()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/[?]node=work/)
  await expect(page.getByRole('region', { name: 'Node Work' })).toBeVisible()
  await expect(row(page, 'work')).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Escape')
  await expect(page).not.toHaveURL(/node=/)

  // The chart is as wide as before once the panel is gone.
  await expect.poll(width).toBe(whole)
  const box = (await chart(page).boundingBox())!
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.8)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.7, box.y + box.height * 0.8, { steps: 4 })
  await page.mouse.up()
  await expect.poll(width).toBeGreaterThan(whole)
  await page.getByRole('button', { name: 'Fit' }).click()
  await expect.poll(width).toBe(whole)
  await work.hover()
  await expect(tip).toContainText('Start')
  await page.keyboard.down('Control')
  await page.mouse.wheel(0, -300)
  await page.keyboard.up('Control')
  await expect.poll(width).toBeGreaterThan(whole)
})

test('nothing serious for axe, wide and narrow, light and dark', async ({ page, rest }) => {
  const id = await rest.start('timeline_eventful')
  await expect.poll(async () => (await rest.execution(id)).status, { timeout: 60_000 }).toBe('waiting')
  await page.goto(`/executions/${id}/timeline?node=ask`)
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1440, 390]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      await page.goto(`/executions/${id}/timeline${width === 390 ? '' : '?node=ask'}`)
      await expect(bars(page, 'ask')).toBeVisible()
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
      expect(serious.map(({ id: rule, nodes }) => `${rule}: ${nodes[0]?.html}`)).toEqual([])
      expect(
        await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        ),
      ).toBe(0)
    }
})
