import type { Browser, Page } from '@playwright/test'
import { quantile } from './workload'

/** What the main thread of a page spent on one gesture, as the browser itself recorded it. */
export type Frames = {
  /** Milliseconds of script, style and layout of each frame that had work. */
  readonly work: readonly number[]
  /** The same, together. */
  readonly total: number
}

/** The median of what is asked of each round. */
export const middle = (rounds: readonly Frames[], figure: (one: Frames) => number): number =>
  quantile(rounds.map(figure), 0.5)

/** Milliseconds of the frame that so large a share of all took no longer than. */
export const share =
  (of: number) =>
  ({ work }: Frames): number =>
    quantile(work, of)

type TraceEvent = {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** Microseconds. */
  readonly ts: number
  readonly dur?: number
  readonly args?: { readonly name?: string; readonly data?: { readonly type?: string } }
}

/** Script, style and layout. Drawing is left out: it is done by software here. */
const counted = new Set([
  'EvaluateScript',
  'EventDispatch',
  'FireAnimationFrame',
  'FireIdleCallback',
  'FunctionCall',
  'HitTest',
  'Layout',
  'MajorGC',
  'MinorGC',
  'RunMicrotasks',
  'TimerFire',
  'UpdateLayoutTree',
  'V8.GC_MC_INCREMENTAL',
])
const MARK = 'penstock gesture'

/** Records the page while a gesture is made, until all that it set off is done. */
export async function framesOf(browser: Browser, page: Page, gesture: () => Promise<void>): Promise<Frames> {
  await quiet(page)
  await browser.startTracing(page, {
    categories: [
      '-*',
      'devtools.timeline',
      'disabled-by-default-devtools.timeline',
      'blink.user_timing',
      'v8',
    ],
  })
  await page.evaluate((mark) => performance.mark(mark), MARK)
  await gesture()
  await quiet(page)
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
  return accounted(trace.traceEvents)
}

/** Waits until the page has nothing to do. */
export async function quiet(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        requestAnimationFrame(() => requestIdleCallback(() => resolve()))
      }),
  )
}

function accounted(events: readonly TraceEvent[]): Frames {
  const mark = events.find(({ name }) => name === MARK)
  if (mark === undefined) throw new Error('the browser recorded nothing of the page')
  const own = events
    .filter(({ pid, tid, ts }) => pid === mark.pid && tid === mark.tid && ts >= mark.ts)
    .toSorted((a, b) => a.ts - b.ts)
  const work: number[] = []
  let frame = 0
  let until = 0
  const close = () => {
    if (frame > 0) work.push(frame / 1_000)
    frame = 0
  }
  for (const { name, ts, dur = 0 } of own) {
    // A frame ends where the page hands it on to be drawn.
    if (name === 'Commit') close()
    if (!counted.has(name)) continue
    // What stands within another is counted with it.
    const end = ts + dur
    frame += Math.max(0, end - Math.max(ts, until))
    until = Math.max(until, end)
  }
  close()
  return { work, total: work.reduce((sum, one) => sum + one, 0) }
}
