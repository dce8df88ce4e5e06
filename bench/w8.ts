import { existsSync } from 'node:fs'
import { chromium, type Browser, type BrowserContext, type Page } from '@playwright/test'
import { restClient } from '@/testing/rest-client'
import { startServer, type ServerProcess } from '@/testing/server-process'
import { framesOf, middle, quiet, share, type Frames } from './frames'
import { liveRows } from './w8-live'
import { ms, quantile, type Row, type Workload } from './workload'

const SIZES = [500, 2_000]
const MOVES = 60
/** How often everything is done: the figures are the medians. */
const ROUNDS = 5
/** Longest wait for anything, in milliseconds: a busy machine is slow, and the figures are those of the trace. */
const PATIENCE = 300_000
const TYPED = 'renamed in the editor'
const GOALS = new Map([
  [500, { open: '≤ 1 s', frame: 'P95 ≤ 8 ms, ≤ 2 × the divs' }],
  [2_000, { open: '≤ 2 s', frame: 'P95 ≤ 16 ms, ≤ 2 × the divs' }],
])
const KEY = '≤ 50 ms a key'

type Point = { readonly x: number; readonly y: number }

/** The editor in a real browser, by real pointer and key events, on the production build. */
export const w8: Workload = {
  id: 'W8-EDITOR',
  title:
    'editor of 500 (2,000) nodes in Chromium: script, style and layout a frame, beside as many plain divs',
  run: () =>
    inBrowser(async function* (browser, context, server) {
      for (const size of SIZES) {
        await restClient(server).define(wide(size))
        const page = await context.newPage()
        yield* editorRows(browser, page, `${server.origin}/pipelines`, size)
        await page.close()
      }
    }),
}

/** A run that is watched while it goes on, in the same way. */
export const w8Live: Workload = {
  id: 'W8-LIVE',
  title: 'live run of 500 (2,000) nodes in Chromium: the same, beside as many plain divs that change',
  run: () =>
    inBrowser(async function* (browser, context, server) {
      for (const size of SIZES)
        yield* liveRows({ browser, context, server }, size, `${GOALS.get(size)!.frame}, longest ≤ 200 ms`)
    }),
}

async function* inBrowser(
  measure: (browser: Browser, context: BrowserContext, server: ServerProcess) => AsyncIterable<Row>,
): AsyncIterable<Row> {
  const server = await startServer({ env: { PENSTOCK_MAX_NODES: String(Math.max(...SIZES) * 2) } })
  const browser = await chromium.launch(launch())
  try {
    const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } })
    context.setDefaultTimeout(PATIENCE)
    await signIn(await context.newPage(), server)
    yield* measure(browser, context, server)
  } finally {
    await browser.close()
    await server.stop()
  }
}

function launch() {
  const own = process.env['PENSTOCK_CHROMIUM'] ?? '/usr/bin/chromium'
  return {
    ...(existsSync(own) ? { executablePath: own } : {}),
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu', '--no-first-run'],
  }
}

async function signIn(page: Page, server: ServerProcess): Promise<void> {
  const link = /Sign in once with (\S+)/.exec(server.log())?.[1]
  if (link === undefined) throw new Error('the server printed no link to sign in with')
  await page.goto(link)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${server.origin}/`)
  await page.close()
}

async function* editorRows(browser: Browser, page: Page, list: string, size: number): AsyncGenerator<Row> {
  const { open, frame } = GOALS.get(size)!
  const bare = quantile(await visits(page, list, 'main h1'), 0.5)
  const opened = quantile(await visits(page, `${list}/wide_${size}`, '[data-node]'), 0.5)
  yield {
    name: `open ${size} nodes`,
    figure: ms(opened),
    limit: `${ms(bare)} a page without a graph`,
    ratio: opened / bare,
    goal: open,
  }
  const divs = await browser.newPage({ viewport: { width: 1_440, height: 900 } })
  const beside = async (name: string, figures: readonly Frames[], moved: number) =>
    rowOf(`${name} of ${size}`, figures, await rounds(() => plainDivs(browser, divs, size, moved)), frame)

  // Where things are is asked before a gesture: the answers are work of the page as well.
  const one = await nearestToMiddle(page)
  const dragOf = (id: string) => async (round: number) => {
    const from = await middleOf(page, id)
    return framesOf(browser, page, () => drag(page, from, round % 2 === 0 ? 1 : -1))
  }
  yield await beside('drag one node', await rounds(dragOf(one)), 1)
  const many = await selectAbout(page, 50)
  yield await beside(`drag ${many} nodes`, await rounds(dragOf(await firstSelected(page))), many)
  const pane = await middleOfPane(page)
  yield await beside('pan', await rounds(() => framesOf(browser, page, () => pan(page, pane))), size)

  // The frame around what is selected would take the click.
  await page.keyboard.press('Escape')
  await page.locator('.react-flow__node.selected').first().waitFor({ state: 'detached' })
  await card(page, await nearestToMiddle(page)).click({ force: true })
  const field = page.getByRole('textbox', { name: 'Name', exact: true })
  const undo = middleOfBox(await page.getByRole('button', { name: 'Undo' }).boundingBox())
  const typed: Frames[] = []
  const undone: Frames[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await field.click()
    typed.push(await framesOf(browser, page, () => page.keyboard.type(TYPED)))
    undone.push(await framesOf(browser, page, () => page.mouse.click(undo.x, undo.y)))
  }
  yield keyRow(`type in the inspector of ${size}`, typed, TYPED.length)
  yield keyRow(`undo in ${size}`, undone, 1)
  yield {
    name: `verdict on a changed condition of ${size}`,
    figure: ms(await verdict(page)),
    limit: '–',
    ratio: null,
    goal: '–',
  }
  await divs.close()
}

async function rounds(measure: (round: number) => Promise<Frames>): Promise<Frames[]> {
  const all: Frames[] = []
  for (let round = 0; round < ROUNDS; round++) all.push(await measure(round))
  return all
}

const card = (page: Page, id: string) => page.locator(`[data-node="${id}"]`)

/**
 * Milliseconds from the request to a page that has drawn what it is for and has nothing left to do. The first visit loads the program, and
 * does not count.
 */
async function visits(page: Page, url: string, drawn: string): Promise<number[]> {
  const all: number[] = []
  for (let at = 0; at <= ROUNDS; at++) {
    await page.goto(url, { waitUntil: 'commit' })
    await page.locator(drawn).first().waitFor()
    await quiet(page)
    all.push(await page.evaluate(() => performance.now()))
  }
  return all.slice(1)
}

function middleOfBox(box: (Point & { readonly width: number; readonly height: number }) | null): Point {
  if (box === null) throw new Error('it is not drawn')
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

const middleOf = async (page: Page, id: string) => middleOfBox(await card(page, id).boundingBox())
const middleOfPane = async (page: Page) => middleOfBox(await page.locator('.react-flow__pane').boundingBox())

/** Where one has panned to, not every node is drawn. */
function nearestToMiddle(page: Page): Promise<string> {
  return page.locator('[data-node]').evaluateAll((cards) => {
    const far = (one: Element) => {
      const { x, y } = one.getBoundingClientRect()
      return Math.hypot(x - window.innerWidth / 3, y - window.innerHeight / 2)
    }
    return cards.toSorted((a, b) => far(a) - far(b))[0]?.getAttribute('data-node') ?? ''
  })
}

async function firstSelected(page: Page): Promise<string> {
  const selected = page.locator('.react-flow__node.selected [data-node]').first()
  return (await selected.getAttribute('data-node')) ?? ''
}

/** Drags what is there, and what is selected with it, there or back; inwards, for near an edge the graph moves along, which `pan` measures. */
async function drag(page: Page, from: Point, sign: 1 | -1): Promise<void> {
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  for (let step = 1; step <= MOVES; step++)
    await page.mouse.move(from.x + sign * step, from.y + (sign * step) / 2)
  await page.mouse.up()
}

/** With the space bar, the pointer moves the canvas wherever it stands. */
async function pan(page: Page, from: Point): Promise<void> {
  await page.keyboard.down('Space')
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  for (let step = 1; step <= MOVES; step++) await page.mouse.move(from.x + step, from.y + step)
  await page.mouse.up()
  await page.keyboard.up('Space')
}

/** Draws a box with Shift around the upper left of the graph that grows until so many nodes are in it; how many there are. */
async function selectAbout(page: Page, wanted: number): Promise<number> {
  const { x, y } = (await page.locator('.react-flow__pane').boundingBox())!
  const boxes = await page.locator('[data-node]').evaluateAll((cards) =>
    cards.map((one) => {
      const { right, bottom } = one.getBoundingClientRect()
      return { right, bottom }
    }),
  )
  const within = (edge: number) => boxes.filter(({ right, bottom }) => right < x + edge && bottom < y + edge)
  let edge = 50
  while (within(edge).length < Math.min(wanted, boxes.length) && edge < 1_400) edge += 5
  await page.keyboard.down('Shift')
  await page.mouse.move(x + 4, y + 4)
  await page.mouse.down()
  await page.mouse.move(x + edge, y + Math.min(edge, 600), { steps: 10 })
  await page.mouse.up()
  await page.keyboard.up('Shift')
  return page.locator('.react-flow__node.selected').count()
}

/** Milliseconds from a misspelt event to the problem that tells of it. */
async function verdict(page: Page): Promise<number> {
  const field = page.getByRole('textbox', { name: 'Starts when' })
  await field.click()
  await page.keyboard.press('Control+End')
  const started = performance.now()
  await page.keyboard.type('x')
  await page.getByRole('list', { name: 'Problems', exact: true }).waitFor()
  return performance.now() - started
}

/** As many plain divs, of which some are moved by the pointer: the least that any such page costs. */
async function plainDivs(browser: Browser, page: Page, size: number, moved: number): Promise<Frames> {
  await page.setContent('<body style="margin:0;overflow:hidden;height:100vh"></body>')
  await page.evaluate(
    ([count, some]) => {
      const whole = document.createElement('div')
      const divs = Array.from({ length: count }, (_, at) => {
        const div = document.createElement('div')
        div.textContent = `Step ${at}`
        div.style.cssText = 'position:absolute;left:0;top:0;width:28px;height:8px;font-size:4px'
        div.style.transform = `translate(${(at % 48) * 30}px, ${Math.floor(at / 48) * 14}px)`
        return whole.appendChild(div)
      })
      document.body.append(whole)
      window.addEventListener('pointermove', ({ clientX, clientY }) => {
        // All of them move with what they stand in.
        for (const div of some === count ? [whole] : divs.slice(0, some))
          div.style.transform = `translate(${clientX}px, ${clientY}px)`
      })
    },
    [size, moved] as const,
  )
  return framesOf(browser, page, async () => {
    for (let step = 1; step <= MOVES; step++) await page.mouse.move(200 + step, 200 + step / 2)
  })
}

function rowOf(name: string, figures: readonly Frames[], limits: readonly Frames[], goal: string): Row {
  const [half, own] = [middle(figures, share(0.5)), middle(figures, share(0.95))]
  const [leastHalf, least] = [middle(limits, share(0.5)), middle(limits, share(0.95))]
  return {
    name,
    figure: `P50 ${ms(half)}, P95 ${ms(own)}`,
    limit: `P50 ${ms(leastHalf)}, P95 ${ms(least)} divs`,
    ratio: half / leastHalf,
    goal,
  }
}

function keyRow(name: string, figures: readonly Frames[], keys: number): Row {
  return {
    name,
    figure: `${ms(middle(figures, ({ total }) => total) / keys)} a key, P95 ${ms(middle(figures, share(0.95)))} a frame`,
    limit: '–',
    ratio: null,
    goal: KEY,
  }
}

/** A pipeline of layers of 25, each node behind one or two of the layer before, placed as people would. */
function wide(size: number) {
  const rows = 25
  const before = (at: number, other: number) => `n${Math.max(0, at - rows - other)}`
  const nodes = Array.from({ length: size }, (_, at) => ({
    id: `n${at}`,
    name: `Step ${at}`,
    task: 'set',
    startWhen:
      at < rows
        ? 'event:pipeline.started'
        : `event:${before(at, 0)}.completed${at % 2 === 0 ? ` && event:${before(at, 1)}.completed` : ''}`,
    inputBindings: { total: at < rows ? 1 : `{{ ${before(at, 0)}.total + ${at} }}` },
  }))
  const layout = Object.fromEntries(
    nodes.map(({ id }, at) => [id, { x: Math.floor(at / rows) * 288, y: (at % rows) * 112 }]),
  )
  return { schemaVersion: 1, id: `wide_${size}`, name: `Wide ${size}`, nodes, layout }
}
