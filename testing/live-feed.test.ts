import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLiveRun } from '@/components/execution/live'
import { createTabStream } from '@/components/stream/tab-stream'
import { evolve } from '@/core/engine/fold/evolve'
import { viewOf } from '@/core/engine/view/project'
import { emptyState } from '@/core/engine/state'
import { readEntries } from '@/server/operations/read-entries'
import { openApiServer, type ApiServer } from './api-server'
import { compiled, S } from './engine-run'
import { person } from './person'

/** What a run view shows over a line that loses, repeats, reorders and breaks, against what the server says. */

let api: ApiServer
beforeAll(async () => {
  api = await openApiServer({ hub: { heartbeatMs: 15, pollMs: 100, gatherMs: 5 } })
})
afterAll(() => api[Symbol.asyncDispose]())

const nodes = [
  { id: 'first', task: 'set', inputBindings: { list: [1, 2, 3, 4] }, startWhen: `${S} && event:external.go` },
  {
    id: 'each',
    task: 'set',
    forEach: { items: '{{ first.list }}', concurrency: 2 },
    inputBindings: { twice: '{{ item * 2 }}' },
    startWhen: 'event:first.completed',
  },
  {
    id: 'shaky',
    task: 'fail',
    inputBindings: { message: 'again' },
    retry: { maxAttempts: 3, delay: '1ms' },
    allowFailure: true,
    startWhen: 'event:first.completed',
  },
  { id: 'mend', task: 'log', inputBindings: { message: 'mended' }, startWhen: 'event:shaky.failed' },
  { id: 'idle', task: 'noop', startWhen: 'event:shaky.completed' },
  {
    id: 'last',
    task: 'noop',
    startWhen: 'event:each.completed && event:mend.completed && event:external.on',
  },
]
let made = 0
const patient = { timeout: 30_000, interval: 5 }

/** What happens to a frame, or to a read of entries, on its way. */
const fault = fc.oneof(
  { arbitrary: fc.constant('pass' as const), weight: 6 },
  { arbitrary: fc.constantFrom('drop', 'twice', 'late', 'cut'), weight: 3 },
)
type Fault = 'pass' | 'drop' | 'twice' | 'late' | 'cut'

/** The entries of a stream, each by the next fault; when there are no more, the line is good. Heartbeats pass. */
function badLine(faults: Fault[]): TransformStream<string, string> {
  let rest = ''
  let held = ''
  return new TransformStream({
    transform(piece, controller) {
      const frames = (rest + piece).split('\n\n')
      rest = frames.pop() ?? ''
      for (const frame of frames) {
        let what: Fault = frame.includes('event: execution') ? (faults.shift() ?? 'pass') : 'pass'
        // The last one is always lost: nothing comes after it that would show that it is missing.
        if (frame.includes('"pipeline.closed"')) what = 'drop'
        if (what === 'cut') return controller.error(new Error('the line broke'))
        if (what === 'late') {
          held += `${frame}\n\n`
          continue
        }
        if (what !== 'drop') controller.enqueue(`${frame}\n\n`)
        if (what === 'twice') controller.enqueue(`${frame}\n\n`)
        if (held !== '') controller.enqueue(held)
        held = ''
      }
    },
  })
}

/** A tab that follows a run; its time goes a hundred times as fast. */
function watch(executionId: string, pipelineId: string, faults: { line: Fault[]; reads: Fault[] }) {
  const pipeline = compiled({ id: pipelineId, name: pipelineId, nodes })
  const state = emptyState(executionId, pipeline)
  const caller = person('root', ['viewer'])
  const live = createLiveRun({
    fold: {
      get seq() {
        return state.seq
      },
      apply: (entry) => evolve(state, entry),
      view: (now) => viewOf(state, now),
    },
    now: Date.now,
    nextFrame: setImmediate,
    read: async (after) => {
      if ((faults.reads.shift() ?? 'pass') !== 'pass') throw new Error('unreachable')
      return readEntries(api.ctx, caller, { execution_id: executionId, after, limit: 5 })
    },
  })
  const tab = createTabStream({
    url: `${api.base}/api/v1/stream`,
    async fetch(input, init) {
      const headers = { authorization: 'Bearer root' }
      const response = await fetch(input, { ...init, headers })
      const line = response
        .body!.pipeThrough(new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>)
        .pipeThrough(badLine(faults.line))
        .pipeThrough(new TextEncoderStream())
      return new Response(line as ReadableStream<Uint8Array>, { status: response.status })
    },
    probe: async () => 'answered',
    now: () => 1_000 + performance.now() * 100,
    wait: (ms, then) => {
      const timer = setTimeout(then, ms / 100)
      return () => clearTimeout(timer)
    },
  })
  const stop = tab.listen({
    topic: { execution: executionId, after: live.seq },
    onData: live.receive,
    catchUp: live.catchUp,
  })
  return {
    live,
    tab,
    /** What the same journal says when it is folded in one go up to `seq`. */
    async folded(seq: number, now: number) {
      const fresh = emptyState(executionId, pipeline)
      for (const entry of await api.ctx.journal.read(executionId, { limit: seq })) evolve(fresh, entry)
      return viewOf(fresh, now)
    },
    stop() {
      stop()
      live.stop()
    },
  }
}

describe('a run that is watched', () => {
  it('is what the server says, node by node, at every instant, whatever happens to the line', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fault, { maxLength: 80, size: 'max' }),
        fc.array(fault, { maxLength: 12, size: 'max' }),
        fc.array(fault, { maxLength: 6, size: 'max' }),
        async (line, end, reads) => {
          const id = `feed_${(made += 1)}`
          await api.call('POST', '/api/v1/pipelines', { id, name: id, nodes })
          const started = await api.call('POST', `/api/v1/pipelines/${id}/executions`, {})
          const { execution_id } = started.body as { execution_id: string }
          const go = (name: string) =>
            api.call('POST', '/api/v1/events', { execution_id, event_type: `external.${name}` })
          const faults = { line: [...line] as Fault[], reads: [...reads] as Fault[] }
          const page = watch(execution_id, id, faults)
          const seen: { seq: number; nodes: unknown; status: string }[] = []
          page.live.watch(() => {
            const view = page.live.snapshot()?.view
            if (view !== undefined && view.last_seq !== seen.at(-1)?.seq)
              seen.push({ seq: view.last_seq, nodes: view.nodes, status: view.status })
          })
          await go('go')
          await expect.poll(() => page.live.snapshot()?.view.nodes['mend']?.status, patient).toBe('completed')
          faults.line.splice(0, Infinity, ...(end as Fault[]))
          await go('on')
          const over = (await api.closed(execution_id)) as { last_seq: number; nodes: object }
          await expect.poll(() => page.live.snapshot()?.view.last_seq, patient).toBe(over.last_seq)
          await expect.poll(() => page.tab.freshness(), patient).toBe('live')
          page.stop()
          const { view, events } = page.live.snapshot()!
          expect(JSON.parse(JSON.stringify(view.nodes))).toEqual(over.nodes)
          expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1))
          for (const { seq, nodes: shown, status } of seen) {
            const folded = await page.folded(seq, 0)
            expect(status).toBe(folded.status)
            for (const [node, { status: its, attempts, outputs, items }] of Object.entries(folded.nodes))
              expect((shown as typeof folded.nodes)[node]).toMatchObject({
                status: its,
                attempts,
                outputs,
                items,
              })
          }
        },
      ),
      { numRuns: Number(process.env['PENSTOCK_STREAMS'] ?? 15) },
    )
    expect(api.defects).toEqual([])
  }, 120_000)
})
