// What a person can read when a page opens: measured on every page, on a wide and on a narrow screen.
import type { Page } from '@playwright/test'
import { card, expect, test, type Rest } from './fixture'
import { alike, asking, failing, row } from './pipelines'

// More nodes than people are usually allowed.
test.use({ serverEnv: { PENSTOCK_MAX_NODES: '2000' } })

const screens = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const

/** The least height of the letters of a card's name when its graph opens, in pixels. */
const READABLE = 9

/** What does not fit: a page that scrolls, and everything that scrolls without having more to show than it has room for. */
const misfits = (page: Page) =>
  page.evaluate(() => {
    const root = document.documentElement
    const found: string[] = []
    if (root.scrollWidth > innerWidth) found.push(`the page is ${root.scrollWidth} wide`)
    if (document.querySelector('.react-flow') !== null && root.scrollHeight > innerHeight)
      found.push(`the page is ${root.scrollHeight} high`)
    for (const element of document.querySelectorAll<HTMLElement>('main *')) {
      const { overflowX, overflowY } = getComputedStyle(element)
      const name = `${element.tagName} ${element.getAttribute('aria-label') ?? element.className}`.slice(
        0,
        90,
      )
      const [high, wide] = [
        element.scrollHeight - element.clientHeight,
        element.scrollWidth - element.clientWidth,
      ]
      if (/auto|scroll/.test(overflowY) && high > 0 && high < 8)
        found.push(`${name}: ${high} pixels to scroll down`)
      if (/auto|scroll/.test(overflowX) && wide > 0 && wide < 8)
        found.push(`${name}: ${wide} pixels to scroll right`)
    }
    return found
  })

/** How the cards of the graph are seen: how many are cut, below a button, or too small to be read. */
const cards = (page: Page) =>
  page.evaluate(() => {
    const bar = document.querySelector('.react-flow__panel.bottom.left')!.getBoundingClientRect()
    const { left, right, top, bottom } = document.querySelector('.react-flow')!.getBoundingClientRect()
    // On a narrow screen the buttons are a bar below the graph.
    const canvas = { left, right, top, bottom: bar.width >= right - left ? bar.top : bottom }
    const boxes = [...document.querySelectorAll<HTMLElement>('[data-node], [data-group][data-status]')].map(
      (element) => ({
        name: element.dataset['node'] ?? element.dataset['group'] ?? '',
        box: element.getBoundingClientRect(),
        scale: element.getBoundingClientRect().height / element.offsetHeight,
        isText: (element.textContent ?? '') !== '',
      }),
    )
    const seen = boxes.filter(
      ({ box }) =>
        box.left < canvas.right &&
        box.right > canvas.left &&
        box.top < canvas.bottom &&
        box.bottom > canvas.top,
    )
    const isCut = ({ left, right, top, bottom }: DOMRect) =>
      left < canvas.left - 1 || right > canvas.right + 1 || top < canvas.top - 1 || bottom > canvas.bottom + 1
    const isBelow = ({ left, right, top, bottom }: DOMRect) =>
      left < bar.right - 1 && right > bar.left + 1 && top < bar.bottom - 1 && bottom > bar.top + 1
    return {
      seen: seen.map(({ name }) => name),
      cut: seen.filter(({ box }) => isCut(box)).map(({ name }) => name),
      below: seen.filter(({ box }) => isBelow(box)).map(({ name }) => name),
      letters: Math.min(...seen.map(({ scale, isText }) => (isText ? 13 * scale : 0))),
    }
  })

async function isOpen(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await expect(page.getByRole('status', { name: /^(Loading|Arranging|Drawing)/ })).toHaveCount(0)
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await page.evaluate(() => document.fonts.ready)
}

async function completed(rest: Rest, id: string): Promise<string> {
  const run = await rest.start(id)
  await expect.poll(async () => (await rest.execution(run)).status, { timeout: 60_000 }).toBe('completed')
  return run
}

for (const screen of screens)
  test(`no page has a stub of a scrollbar or a second one, at ${screen.width} pixels`, async ({
    page,
    rest,
  }) => {
    const [id, broken] = [`row_${screen.width}`, `import_${screen.width}`]
    await rest.define(row(id, 8))
    await rest.define(failing(broken))
    const run = await completed(rest, id)
    const failed = await rest.start(broken)
    await expect.poll(async () => (await rest.execution(failed)).status, { timeout: 30_000 }).toBe('failed')
    await page.setViewportSize(screen)
    const found: Record<string, string[]> = {}
    for (const path of [
      '/',
      '/pipelines',
      '/executions',
      '/approvals',
      '/health',
      '/queue',
      `/pipelines/${id}`,
      `/pipelines/${id}?node=n3`,
      '/pipelines/seattle_weather?node=read',
      `/pipelines/${id}/code`,
      `/pipelines/${id}/rehearse`,
      `/pipelines/${id}/executions`,
      `/pipelines/${id}/revisions`,
      ...['graph', 'timeline', 'events', 'variables', 'artifacts', 'summary', 'compare'].map(
        (tab) => `/executions/${run}/${tab}`,
      ),
      `/executions/${run}/graph?node=n3`,
      `/executions/${failed}/graph?node=import_rows`,
    ]) {
      await isOpen(page, path)
      const misfit = await misfits(page)
      if (misfit.length > 0) found[path] = misfit
    }
    expect(found).toEqual({})
  })

for (const screen of screens)
  test(`a graph opens with cards that can be read and are whole, at ${screen.width} pixels`, async ({
    page,
    rest,
  }) => {
    const [id, many] = [`steps_${screen.width}`, `siblings_${screen.width}`]
    await rest.define(row(id, 8))
    await rest.define(alike(many, 104))
    const [run, wide] = [await completed(rest, id), await completed(rest, many)]
    await page.setViewportSize(screen)
    for (const path of [
      `/pipelines/${id}`,
      `/pipelines/${id}/rehearse`,
      `/executions/${run}`,
      `/pipelines/${many}`,
      `/pipelines/${many}/rehearse`,
      `/executions/${wide}`,
      '/pipelines/seattle_weather',
      '/pipelines/data_ready',
    ]) {
      await isOpen(page, path)
      await expect(page.locator('[data-node]').first()).toBeVisible()
      const shown = await cards(page)
      expect.soft(shown, path).toMatchObject({ cut: [], below: [] })
      expect.soft(shown.letters, path).toBeGreaterThanOrEqual(READABLE)
      expect.soft(shown.seen, path).not.toEqual([])
    }
  })

for (const count of [104, 800, 1_890])
  test(`${count} siblings are one card that counts them, in editor, rehearsal and run, and opens`, async ({
    page,
    rest,
  }) => {
    const id = `many_${count}`
    await rest.define(alike(id, count))
    const run = await completed(rest, id)
    const group = page.locator('[data-group="n0"]')
    const distances: number[] = []
    for (const path of [`/pipelines/${id}`, `/executions/${run}`, `/pipelines/${id}/rehearse`]) {
      await isOpen(page, path)
      await expect(group).toContainText(`${count} tasks`)
      await expect(page.locator('.react-flow__edge[data-id]')).toHaveCount(2)
      const [first, last] = [await card(page, 'first').boundingBox(), await card(page, 'join').boundingBox()]
      distances.push(Math.round(((last!.x - first!.x) / first!.height) * 100))
    }
    // At whatever zoom, the cards are equally far from each other on all three.
    expect(new Set(distances).size).toBe(1)
    await expect(group).toContainText(`${count} completed`)
    for (const path of [`/pipelines/${id}`, `/executions/${run}`]) {
      await isOpen(page, path)
      await group.getByRole('button', { name: `Open ${count} tasks` }).click()
      await expect(card(page, 'n0')).toBeInViewport()
      await expect(card(page, 'n1')).toBeInViewport()
      await card(page, 'n1').click()
      await expect(page.getByRole('heading', { name: 'n1' })).toBeVisible()
      await page.getByRole('button', { name: `Close ${count} tasks` }).click()
      await expect(card(page, 'n0')).toHaveCount(0)
      await page.keyboard.press('1')
      await expect(card(page, 'join')).toBeInViewport()
    }
  })

test('a toast that offers a next step does not lie over the page to which a person went instead', async ({
  page,
  rest,
}) => {
  await rest.define(asking('toast_asks', { message: 'Does the toast leave?' }))
  await rest.start('toast_asks')
  await page.goto('/approvals')
  const item = page.getByRole('article').filter({ hasText: 'Does the toast leave?' })
  await item.getByRole('button', { name: 'Approve…' }).click()
  await item.getByRole('button', { name: 'Confirm approval' }).click()
  const toast = page.getByRole('button', { name: 'Open the run' })
  await expect(toast).toBeVisible()
  await page.getByRole('link', { name: 'Executions' }).first().click()
  await expect(page).toHaveURL(/executions$/)
  await expect(toast).toHaveCount(0)
})
