import type { Browser, BrowserContext, Page } from '@playwright/test'
import { listOf } from '@/testing/definitions'
import { restClient } from '@/testing/rest-client'
import type { ServerProcess } from '@/testing/server-process'
import { framesOf, middle, share, type Frames } from './frames'
import { ms, type Row } from './workload'

/** Nodes of a layer, and how many milliseconds after the layer before it begins: each node is seen to run and to be completed. */
const LAYER = 25
const EVERY = 100
const CHANGES = Math.round((LAYER * 2 * 1_000) / EVERY)
const ITEMS = 1_000

/** How often each is watched: the figures are the medians. */
const ROUNDS = 3

/** Who watches: a signed-in browser, and the server that it looks at. */
type Viewer = {
  readonly browser: Browser
  readonly context: BrowserContext
  readonly server: ServerProcess
}

/** A run that is watched: a graph whose nodes change 500 times a second, and a list of many items. */
export async function* liveRows(viewer: Viewer, size: number, goal: string): AsyncGenerator<Row> {
  const { browser } = viewer
  const rest = restClient(viewer.server)
  await rest.define(paced(size))
  const watched = await rounds(() => watch(viewer, `paced_${size}`, `n${size - 1}`))
  const divs = await browser.newPage({ viewport: { width: 1_440, height: 900 } })
  const limits = await rounds(() => changingDivs(browser, divs, size))
  yield rowOf(`live: ${CHANGES} changes/s of ${size}`, watched, limits, goal)
  await divs.close()
  if (size !== 500) return
  await rest.define(listOf(ITEMS, { id: 'many_items', name: 'Many items' }))
  const each = await rounds(() => watch(viewer, 'many_items', 'last'))
  yield rowOf(`live: ${ITEMS} items`, each, null, 'longest ≤ 200 ms')
}

/** Opens a run, lets it go, and records the page until one node is completed on the screen. */
async function watch(
  { browser, context, server }: Viewer,
  pipelineId: string,
  last: string,
): Promise<Frames> {
  const rest = restClient(server)
  const id = await rest.start(pipelineId)
  const page = await context.newPage()
  await page.goto(`${server.origin}/executions/${id}`)
  await page.locator('[data-node]').first().waitFor()
  await page
    .getByRole('status')
    .filter({ hasText: /^Live$/ })
    .first()
    .waitFor()
  const frames = await framesOf(browser, page, async () => {
    await rest.call('POST', '/events', { execution_id: id, event_type: 'external.go' })
    await page.locator(`[data-node="${last}"][data-status="completed"]`).waitFor({ state: 'attached' })
  })
  await page.close()
  return frames
}

/** As many plain divs, of which as many change their colour and text in the same time. */
async function changingDivs(browser: Browser, page: Page, size: number): Promise<Frames> {
  await page.setContent('<body style="margin:0;overflow:hidden;height:100vh"></body>')
  await page.evaluate((count) => {
    for (let at = 0; at < count; at++) {
      const div = document.createElement('div')
      div.textContent = `Step ${at}`
      div.style.cssText = 'position:absolute;left:0;top:0;width:28px;height:8px;font-size:4px'
      div.style.transform = `translate(${(at % 48) * 30}px, ${Math.floor(at / 48) * 14}px)`
      document.body.append(div)
    }
  }, size)
  return framesOf(browser, page, () =>
    page.evaluate(
      async ([layer, every]) => {
        const divs = [...document.querySelectorAll('div')]
        for (let from = 0; from < divs.length; from += layer) {
          for (const [colour, wait] of [
            ['blue', every / 2],
            ['green', every / 2],
          ] as const) {
            for (const div of divs.slice(from, from + layer)) {
              div.style.backgroundColor = colour
              div.textContent = colour
            }
            await new Promise((resolve) => setTimeout(resolve, wait))
          }
        }
      },
      [LAYER, EVERY] as const,
    ),
  )
}

async function rounds(measure: () => Promise<Frames>): Promise<Frames[]> {
  const all: Frames[] = []
  for (let round = 0; round < ROUNDS; round++) all.push(await measure())
  return all
}

function rowOf(
  name: string,
  figures: readonly Frames[],
  limits: readonly Frames[] | null,
  goal: string,
): Row {
  const [half, own] = [middle(figures, share(0.5)), middle(figures, share(0.95))]
  const longest = Math.max(...figures.flatMap(({ work }) => work))
  return {
    name,
    figure: `P50 ${ms(half)}, P95 ${ms(own)}, longest ${ms(longest)}`,
    limit:
      limits === null
        ? '–'
        : `P50 ${ms(middle(limits, share(0.5)))}, P95 ${ms(middle(limits, share(0.95)))} divs`,
    ratio: limits === null ? null : half / middle(limits, share(0.5)),
    goal,
  }
}

/** Layers of nodes that begin one after the other, by a clock of the engine. */
export function paced(size: number) {
  const nodes = Array.from({ length: size }, (_, at) => {
    const layer = Math.floor(at / LAYER)
    const before = layer === 0 ? '' : ` && event:n${at - LAYER}.completed`
    return {
      id: `n${at}`,
      name: `Step ${at}`,
      task: 'set',
      startWhen: `event:t${layer}.completed${before}`,
      inputBindings: { total: layer === 0 ? 1 : `{{ n${at - LAYER}.total + 1 }}` },
    }
  })
  const clock = Array.from({ length: Math.ceil(size / LAYER) }, (_, layer) => ({
    id: `t${layer}`,
    task: 'wait',
    startWhen: layer === 0 ? 'event:pipeline.started && event:external.go' : `event:t${layer - 1}.completed`,
    inputBindings: { duration: `${EVERY}ms` },
  }))
  return { schemaVersion: 1, id: `paced_${size}`, name: `Paced ${size}`, nodes: [...nodes, ...clock] }
}
