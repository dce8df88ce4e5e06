// What a person can read of a graph when it opens, on a wide and on a narrow screen.
import type { Page } from '@playwright/test'
import { card, expect, test, type Rest } from './fixture'
import { isSettled, screens } from './misfits'
import { alike, asking, branching, endingIn, row } from './pipelines'
import { drag, middleOf } from './pointer'

// More nodes than people are usually allowed.
test.use({ serverEnv: { PENSTOCK_MAX_NODES: '2000' } })

/** The least height of the letters of a card's name when its graph opens, in pixels. */
const READABLE = 9

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
  await isSettled(page)
}

async function completed(rest: Rest, id: string): Promise<string> {
  const run = await rest.start(id)
  await expect.poll(async () => (await rest.execution(run)).status, { timeout: 60_000 }).toBe('completed')
  return run
}

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

/** Labels of edges that cover a card or another label, by what they say. */
const coveringLabels = (page: Page) =>
  page.evaluate(() => {
    const boxesOf = (selector: string) =>
      [...document.querySelectorAll(selector)].map((element) => ({
        name: element.textContent ?? '',
        box: element.getBoundingClientRect(),
      }))
    const labels = boxesOf('.react-flow__edge-textwrapper')
    const cards = boxesOf('[data-node], .react-flow__node-signal')
    const overlap = (a: DOMRect, b: DOMRect) =>
      a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1
    return labels.flatMap(({ name, box }, at) =>
      [...cards, ...labels.slice(at + 1)]
        .filter((other) => overlap(box, other.box))
        .map((other) => `${name} | ${other.name}`),
    )
  })

for (const screen of screens)
  test(`no label of an edge covers a card or another label, at ${screen.width} pixels`, async ({
    page,
    rest,
  }) => {
    await page.setViewportSize(screen)
    const runs = { seattle_weather: '', flights: '', data_ready: '' }
    for (const id of ['seattle_weather', 'flights', 'data_ready'] as const) runs[id] = await rest.start(id)
    await rest.define(branching(`branching_${screen.width}`))
    for (const path of [
      ...Object.entries(runs).flatMap(([id, run]) => [
        `/pipelines/${id}`,
        `/pipelines/${id}/rehearse`,
        `/executions/${run}`,
      ]),
      `/pipelines/branching_${screen.width}`,
    ]) {
      await isOpen(page, path)
      await page.keyboard.press('1')
      await expect(page.locator('.react-flow__edge').first()).toBeAttached()
      expect.soft(await coveringLabels(page), path).toEqual([])
    }
  })

for (const screen of screens)
  test(`a run that needs somebody opens with what needs them in view, at ${screen.width} pixels`, async ({
    page,
    rest,
  }) => {
    const [id, ask] = [`late_${screen.width}`, `asks_${screen.width}`]
    await rest.define(endingIn(id, { task: 'fail', inputBindings: { message: 'no' } }))
    await rest.define(
      endingIn(ask, { task: 'approval', inputBindings: { approvers: ['role:approver'], message: 'Go on?' } }),
    )
    const [failed, waiting] = [await rest.start(id), await rest.start(ask)]
    await expect.poll(async () => (await rest.execution(failed)).status, { timeout: 60_000 }).toBe('failed')
    await expect.poll(async () => (await rest.execution(waiting)).status, { timeout: 60_000 }).toBe('waiting')
    await page.setViewportSize(screen)
    for (const run of [failed, waiting]) {
      await isOpen(page, `/executions/${run}`)
      await expect(card(page, 'last')).toBeVisible()
      const shown = await cards(page)
      expect.soft(shown.seen, run).toContain('last')
      expect.soft(shown, run).toMatchObject({ cut: [], below: [] })
    }
  })

/** How far a card is from the nearest edge of the canvas, in pixels; negative: it is cut. */
const distanceToEdge = (page: Page, node: string) =>
  page.evaluate((id) => {
    const canvas = document.querySelector('.react-flow')!.getBoundingClientRect()
    const box = document.querySelector(`[data-node="${id}"]`)!.getBoundingClientRect()
    return Math.min(
      box.left - canvas.left,
      canvas.right - box.right,
      box.top - canvas.top,
      canvas.bottom - box.bottom,
    )
  }, node)

for (const screen of screens)
  test(`every node that is added lies wholly in the canvas, at ${screen.width} pixels`, async ({ page }) => {
    await page.setViewportSize({ ...screen })
    await page.goto('/pipelines?new')
    await expect(page.getByRole('dialog', { name: 'New pipeline' })).toBeVisible()
    await page.keyboard.type(`First node ${screen.width}`)
    await page.keyboard.press('Enter')
    await expect(page.getByText('An empty pipeline')).toBeVisible()
    const palette = page.getByRole('dialog', { name: 'Add a node' })
    const add = async (task: string) => {
      await page.keyboard.press('n')
      await expect(palette).toBeVisible()
      await page.keyboard.type(task)
      await page.keyboard.press('Enter')
      await expect(palette).toHaveCount(0)
      // On a narrow screen the form covers the canvas.
      if (screen.width < 1000) await page.getByRole('button', { name: 'Close' }).click()
      else await page.keyboard.press('Escape')
    }
    await add('noop')
    await expect(card(page, 'noop')).toBeAttached()
    await expect.poll(() => distanceToEdge(page, 'noop')).toBeGreaterThanOrEqual(12)
    if (screen.width < 1000) return
    // Dropped into the corner, too.
    await page.getByRole('button', { name: 'Add node' }).click()
    await page.keyboard.type('log')
    const canvas = (await page.getByRole('application', { name: 'Graph of the draft' }).boundingBox())!
    const corner = { x: canvas.x + canvas.width - 8, y: canvas.y + canvas.height - 8 }
    await drag(page, await middleOf(palette.getByRole('option').first()), corner)
    await expect(card(page, 'log')).toBeAttached()
    await expect.poll(() => distanceToEdge(page, 'log')).toBeGreaterThanOrEqual(12)
    // And what is pasted there.
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await card(page, 'log').click()
    await page.keyboard.press('Control+c')
    await page.mouse.move(corner.x, corner.y)
    await page.keyboard.press('Control+v')
    await expect(card(page, 'log_2')).toBeAttached()
    await expect.poll(() => distanceToEdge(page, 'log_2')).toBeGreaterThanOrEqual(12)
  })

test('a card that was pressed stays under the pointer as long as a second press may come, and is in view then', async ({
  page,
  rest,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await rest.define(row('pressed', 8))
  await isOpen(page, `/executions/${await completed(rest, 'pressed')}`)
  const { x, y } = await middleOf(card(page, 'n2'))
  const under = page.evaluate(
    (at) =>
      new Promise<(string | null)[]>((resolve) => {
        const seen: (string | null)[] = []
        document.addEventListener(
          'pointerdown',
          ({ timeStamp }) => {
            const look = (now: number) => {
              const element = document.elementFromPoint(at.x, at.y)
              seen.push(element?.closest<HTMLElement>('[data-node]')?.dataset['node'] ?? null)
              if (now - timeStamp < 250) requestAnimationFrame(look)
              else resolve(seen)
            }
            requestAnimationFrame(look)
          },
          { once: true },
        )
      }),
    { x, y },
  )
  await page.mouse.click(x, y)
  expect(new Set(await under)).toEqual(new Set(['n2']))
  await expect(page.getByRole('region', { name: 'Node Step number 2' })).toBeVisible()
  await expect.poll(() => distanceToEdge(page, 'n2')).toBeGreaterThanOrEqual(12)
})

test('the panel of a node leaves the node and whole cards beside it in view', async ({ page, rest }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await rest.define(row('beside', 8))
  const run = await completed(rest, 'beside')
  for (const path of ['/pipelines/beside', `/executions/${run}`])
    for (const node of ['n0', 'n3', 'n7']) {
      await isOpen(page, `${path}?node=${node}`)
      await expect(card(page, node)).toBeVisible()
      const shown = await cards(page)
      expect.soft(shown, `${path} ${node}`).toMatchObject({ cut: [], below: [] })
      expect.soft(shown.seen, `${path} ${node}`).toContain(node)
      expect.soft(shown.letters, `${path} ${node}`).toBeGreaterThanOrEqual(READABLE)
    }
})

test('a node that is found in a closed group is shown, with its group open', async ({ page, rest }) => {
  await rest.define(alike('folded', 104))
  const run = await completed(rest, 'folded')
  for (const path of ['/pipelines/folded', `/executions/${run}`]) {
    await isOpen(page, path)
    await expect(page.locator('[data-group="n0"]')).toBeVisible()
    await page.keyboard.press('Control+f')
    await page.getByRole('searchbox', { name: 'Find a node' }).fill('n57')
    await page.keyboard.press('Enter')
    await expect(card(page, 'n57')).toBeAttached()
    await expect.poll(() => distanceToEdge(page, 'n57')).toBeGreaterThan(0)
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
