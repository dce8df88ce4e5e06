import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Entry } from '@/core/engine/event'
import type { ExecutionView } from '@/core/engine/view/view'
import { createLiveRun, type Fold } from './live'

const entry = (seq: number): Entry => ({
  event: {
    id: `e.${seq}`,
    execution_id: 'e',
    seq,
    type: 'a.completed',
    source: { entity_type: 'node', entity_id: 'a' },
    generation: 1,
    payload: {},
    timestamp: '2026-03-01T12:00:00.000Z',
  },
  variables: [],
})

/** A fold that refuses what does not come in order, and says what it has seen. */
function recordingFold() {
  const seen: number[] = []
  const fold: Fold = {
    get seq() {
      return seen.length
    },
    apply(given) {
      if (given.event.seq !== seen.length + 1) throw new Error(`out of order: ${given.event.seq}`)
      seen.push(given.event.seq)
    },
    view: () => ({ last_seq: seen.length }) as ExecutionView,
  }
  return { fold, seen }
}

/** A journal from which the run reads pages; frames are run by hand. */
function setUp(committed: () => number, pageSize = 3) {
  const { fold, seen } = recordingFold()
  const frames: (() => void)[] = []
  let reads = 0
  const run = createLiveRun({
    fold,
    now: () => 0,
    nextFrame: (then) => frames.push(then),
    read: async (after) => {
      reads += 1
      const to = Math.min(committed(), after + pageSize)
      const entries = Array.from({ length: Math.max(0, to - after) }, (_, index) => entry(after + index + 1))
      return { entries, more: to < committed(), closed: false }
    },
  })
  const paint = () => {
    for (const frame of frames.splice(0)) frame()
  }
  return { run, seen, frames, paint, reads: () => reads }
}

describe('a live run', () => {
  it('reads the snapshot page by page, then follows the stream', async () => {
    let committed = 7
    const { run, seen, paint } = setUp(() => committed)
    await run.catchUp()
    committed = 8
    run.receive(entry(8))
    paint()
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(run.snapshot()?.view.last_seq).toBe(8)
    expect(run.snapshot()?.events.map((event) => event.seq)).toEqual(seen)
  })

  it('shows the run again while the view is behind', async () => {
    const { fold } = recordingFold()
    let behind = 2
    const frames: (() => void)[] = []
    const run = createLiveRun({
      fold: {
        ...fold,
        get seq() {
          return fold.seq
        },
        isBehind: () => behind-- > 0,
      },
      now: () => 0,
      nextFrame: (then) => frames.push(then),
      read: async () => ({ entries: [], more: false, closed: false }),
    })
    let shown = 0
    run.watch(() => (shown += 1))
    run.receive(entry(1))
    while (frames.length > 0) frames.shift()!()
    expect(shown).toBe(3)
  })

  it('says when everything was read that there was', async () => {
    const { fold, seen } = recordingFold()
    const whole: (boolean | undefined)[] = []
    const run = createLiveRun({
      fold,
      now: () => 0,
      nextFrame: (then) => then(),
      read: async (after) => ({ entries: [entry(after + 1)], more: after < 2, closed: false }),
    })
    run.watch(() => whole.push(run.snapshot()?.whole))
    await run.catchUp()
    run.receive(entry(4))
    expect(seen).toEqual([1, 2, 3, 4])
    expect(whole).toEqual([false, false, true, true])
  })

  it('[E-O3] applies every entry once and in order, whatever the stream drops, repeats or reorders', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 30 }),
        fc.array(fc.oneof(fc.integer({ min: 1, max: 30 }), fc.constant('reconnect' as const)), {
          maxLength: 60,
        }),
        async (total, script) => {
          const { run, seen } = setUp(() => total)
          for (const step of script) {
            if (step === 'reconnect') await run.catchUp()
            else if (step <= total) run.receive(entry(step))
          }
          await run.catchUp()
          // A read that was under way swallows this call; wait until it has ended.
          for (let turn = 0; turn < 200 && seen.length < total; turn++) await new Promise(setImmediate)
          expect(seen).toEqual(Array.from({ length: total }, (_, index) => index + 1))
        },
      ),
      { numRuns: 60 },
    )
  })

  it('shows everything of one frame together', async () => {
    let committed = 0
    const { run, frames, paint } = setUp(() => committed)
    await run.catchUp()
    paint()
    let calls = 0
    run.watch(() => calls++)
    for (let seq = 1; seq <= 100; seq++) {
      committed = seq
      run.receive(entry(seq))
    }
    expect(frames).toHaveLength(1)
    paint()
    expect(calls).toBe(1)
    expect(run.snapshot()?.view.last_seq).toBe(100)
  })

  it('ignores frames that are no entry, and everything after it was stopped', async () => {
    const { run, seen } = setUp(() => 0)
    run.receive(null)
    run.receive({ event: { seq: '1' } })
    run.receive({ event: { seq: 1 } })
    run.stop()
    run.receive(entry(1))
    expect(seen).toEqual([])
  })

  it('stays as it was and reports the problem when a read fails, and recovers with the next read', async () => {
    const { fold, seen } = recordingFold()
    let broken = true
    const run = createLiveRun({
      fold,
      now: () => 0,
      nextFrame: (then) => then(),
      read: async () => {
        if (broken) throw new Error('no connection')
        return { entries: fold.seq === 0 ? [entry(1)] : [], more: false, closed: false }
      },
    })
    await run.catchUp()
    expect(run.problem()).toEqual(new Error('no connection'))
    broken = false
    await run.catchUp()
    expect(run.problem()).toBeNull()
    expect(seen).toEqual([1])
  })

  it('shows nothing in the frame in which it prepares what it shows in the next', async () => {
    const { fold } = recordingFold()
    const frames: { readonly then: () => void; readonly soon: boolean }[] = []
    const prepares = [true, false]
    const run = createLiveRun({
      fold: { ...fold, prepare: () => prepares.shift()! },
      now: () => 0,
      nextFrame: (then, soon = false) => frames.push({ then, soon }),
      read: async () => ({ entries: [], more: false, closed: false }),
    })
    await run.catchUp()
    frames.shift()?.then()
    expect(run.snapshot()).toBeNull()
    const next = frames.shift()
    expect(next?.soon).toBe(true)
    next?.then()
    expect(run.snapshot()).not.toBeNull()
    run.refresh()
    frames.shift()?.then()
    expect(frames).toEqual([])
  })
})
