import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '@/core/engine/event'
import { attemptId } from '@/core/engine/state'
import { pipelineDefinitionSchema, type PipelineDefinition } from '@/core/pipeline/definition/definition'
import { parseYaml } from '@/core/pipeline/yaml/yaml'
import { type EngineRun, ada, failing, gate, heavy, nextWork, noop, set, wait } from './engine-run'
import { person } from './person'
import type { RunnerFixture } from './runner-fixture'

/** A run whose journal is in the repository for ever: what the engine of that day wrote, every later one has to read. */
export type Scenario = {
  readonly name: string
  readonly definition: PipelineDefinition
  /** Drives the run to its end; `tasks` does real work where the scenario wants it. */
  readonly play: (run: EngineRun, tasks: RunnerFixture) => void | Promise<void>
}

const bob = person('bob', ['approver'])

function example(id: string): PipelineDefinition {
  const text = readFileSync(join(import.meta.dirname, '../examples', `${id}.yaml`), 'utf8')
  const parsed = parseYaml(text)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error))
  return pipelineDefinitionSchema.parse(parsed.value)
}

const made = (id: string, nodes: PipelineDefinition['nodes'], more: Partial<PipelineDefinition> = {}) => ({
  schemaVersion: 1 as const,
  id,
  name: id,
  nodes,
  ...more,
})

/** Real tasks on real data, one attempt after the other, until nothing is in flight. */
async function work(run: EngineRun, tasks: RunnerFixture): Promise<void> {
  for (let attempt = nextWork(run.state); attempt; attempt = nextWork(run.state)) {
    const { node, item } = attempt
    const id = attemptId(node, item)
    const result = await tasks.run(run.state.pipeline.nodes.get(node)!.task, run.input(id), { nodeId: node })
    run.now += 7
    if (result.ok === true) run.complete(id, result.outputs)
    else if (result.ok === false) run.fail(id, result.error)
    else throw new Error(`the worker of ${id} was lost: ${result.reason}`)
  }
}

const pause = (run: EngineRun, hard: boolean) =>
  run.take({ type: 'pause', reason: 'lunch', hard, actor: ada })

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'seattle-weather',
    definition: example('seattle_weather'),
    async play(run, tasks) {
      await work(run, tasks)
      run.now += 60_000
      run.event('external.approval.approved', { comment: 'fine' })
      await work(run, tasks)
    },
  },
  { name: 'flights', definition: example('flights'), play: work },
  {
    name: 'data-ready',
    definition: example('data_ready'),
    async play(run, tasks) {
      await work(run, tasks)
      run.event('external.data_ready', { rows: 1461 })
      await work(run, tasks)
    },
  },
  {
    name: 'data-never-ready',
    definition: example('data_ready'),
    async play(run, tasks) {
      await work(run, tasks)
      run.pass(30 * 60_000)
      await work(run, tasks)
    },
  },
  {
    name: 'retries-timeouts-and-losses',
    definition: made('retries', [
      heavy('a', undefined, { retry: { maxAttempts: 3, delay: '1s' }, timeout: '10s' }),
      heavy('b', undefined, { onLost: 'fail', allowFailure: true }),
      heavy('c', 'event:a.completed && event:b.failed', {
        retry: { maxAttempts: 2, when: "{{ error.kind == 'odd' }}" },
      }),
      noop('fix', 'event:c.failed'),
    ]),
    play(run) {
      run.take({ type: 'lose_attempt', key: run.attempt('b'), reason: 'the worker died' })
      run.take({ type: 'report_progress', key: run.attempt('a'), ratio: 0.5, message: 'half' })
      run.fail('a')
      run.pass(5_000)
      run.pass(10_000)
      run.pass(10_000)
      run.take({ type: 'lose_attempt', key: run.attempt('a'), reason: 'the worker died' })
      run.complete('a', { result: 1 })
      run.fail('c', { kind: 'plain' })
      run.drain()
    },
  },
  {
    name: 'items',
    definition: made('items', [
      set('source', { numbers: [3, 1, 2] }),
      heavy('each', 'event:source.completed', {
        inputBindings: { code: 'return input', input: '{{ item * 2 }}' },
        forEach: { items: '{{ source.numbers }}', concurrency: 2, allowFailures: true },
        retry: { maxAttempts: 2, delay: '1s', jitter: 0 },
      }),
      set('sum', { doubled: '{{ each.result }}' }, 'event:each.completed'),
    ]),
    play(run) {
      run.complete('source', { numbers: [3, 1, 2] })
      run.fail('each/0')
      run.complete('each/1', { result: 2 })
      run.pass(1_000)
      run.complete('each/2', { result: 4 })
      run.pass(1)
      run.fail('each/0')
      run.drain()
    },
  },
  {
    name: 'a-pipeline-within',
    definition: made(
      'parent',
      [
        {
          id: 'sub',
          pipeline: 'child',
          inputBindings: { n: 1 },
          startWhen: 'event:pipeline.started',
          retry: { maxAttempts: 2, delay: '1s' },
        },
        set('after', { n: '{{ sub.n }}' }, 'event:sub.completed'),
      ],
      { outputs: { n: { value: '{{ after.n }}', required: true } } },
    ),
    play(run) {
      run.fail('sub', {
        kind: 'child_failed',
        message: 'child failed: no',
        detail: { execution_id: 'child1' },
      })
      run.pass(5_000)
      run.complete('sub', { n: 2 })
      run.drain()
    },
  },
  {
    name: 'people',
    definition: made('people', [
      gate('two', { quorum: 2, form: { why: { type: 'string' } } }),
      gate('no', {}, 'event:two.approved'),
      gate('silent', { timeout: '1h', onTimeout: 'approve' }, 'event:no.rejected'),
      gate('late', { timeout: '1h' }, 'event:silent.approved'),
      noop('fix', 'event:late.timeout || event:no.rejected'),
    ]),
    play(run) {
      run.event('external.two.approved', { form: { why: 'it is good' } })
      run.event('external.two.approved', { comment: 'so it is', form: { why: 'yes' } }, bob)
      run.event('external.no.rejected', { comment: 'not today' }, bob)
      run.pass(3_600_000)
      run.pass(3_600_000)
      run.drain()
    },
  },
  {
    name: 'pause-and-resume',
    definition: made('paused', [
      heavy('a'),
      wait('w', '1m'),
      noop('n', 'event:a.completed && event:w.completed'),
    ]),
    play(run) {
      pause(run, true)
      run.pass(60_000)
      run.take({ type: 'resume', actor: ada })
      run.complete('a', { result: 1 })
      pause(run, false)
      run.take({ type: 'resume', actor: ada })
      run.drain()
    },
  },
  {
    name: 'cancel',
    definition: made('cancelled', [
      heavy('a'),
      wait('w', '1h'),
      gate('g'),
      noop('never', 'event:a.completed'),
      noop('clean', 'event:pipeline.cancelled', { finally: true }),
      failing('warn', 'event:pipeline.cancelled', { finally: true }),
    ]),
    play(run) {
      run.take({ type: 'cancel', reason: 'a mistake', actor: ada })
      run.fail('a', { kind: 'cancelled', message: 'ended' })
      run.drain()
    },
  },
  {
    name: 'fail-fast',
    definition: made(
      'fast',
      [
        heavy('a'),
        heavy('b'),
        noop('after', 'event:b.completed'),
        noop('handler', 'event:a.failed'),
        failing('bad', 'event:a.failed'),
      ],
      { policy: { failFast: true, timeout: '1h' } },
    ),
    play(run) {
      run.fail('a')
      run.complete('b', { result: 1 })
      run.drain()
    },
  },
  {
    name: 'out-of-time',
    definition: made('slow', [heavy('a'), noop('b', 'event:external.never', { startTimeout: '2h' })], {
      policy: { timeout: '1h' },
    }),
    play(run) {
      run.pass(3_600_000)
      run.fail('a', { kind: 'cancelled', message: 'ended' })
    },
  },
]

/** What a golden log keeps of the end of a run, besides the entries. */
export type GoldenHead = {
  readonly definition: PipelineDefinition
  readonly ended_at: string
  readonly view: JsonObject
}
