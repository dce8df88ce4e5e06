import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Entry, JsonObject } from '@/core/engine/event'
import { evolve } from '@/core/engine/fold/evolve'
import { emptyState, type ExecutionState } from '@/core/engine/state'
import type { CompiledNode, CompiledPipeline } from '@/core/pipeline/definition/compile'
import { pipelineDefinitionSchema, type PipelineDefinition } from '@/core/pipeline/definition/definition'
import { parseYaml } from '@/core/pipeline/yaml/yaml'
import type { RehearsalPlan } from '@/core/rehearsal/plan'
import { planOfRun } from '@/core/rehearsal/plan-of-run'
import { rehearse, type Rehearsal } from '@/core/rehearsal/rehearse'
import type { AttemptRequest, AttemptResult } from '@/server/ports/runner'
import { taskCatalog } from '@/tasks/contracts'
import { compiled } from './engine-run'
import { hasTies, orderOf, runForReal, timeOf, type Decision, type RealWorld } from './rehearsal-fixture'
import { Random } from './simulation/random'
import { randomPipeline } from './simulation/random-pipeline'

function rehearsed(pipeline: CompiledPipeline, plan: RehearsalPlan): Rehearsal {
  const result = rehearse(pipeline, plan)
  if (!result.ok) throw new Error(JSON.stringify(result.issues))
  return result.rehearsal
}

const statuses = (nodes: ExecutionState['nodes']) => [...nodes].map(([id, { status }]) => `${id} ${status}`)

function folded(pipeline: CompiledPipeline, entries: readonly Entry[]): ExecutionState {
  const state = emptyState(entries[0]!.event.execution_id, pipeline)
  for (const entry of entries) evolve(state, entry)
  return state
}

const FAILED: AttemptResult = { ok: false, error: { kind: 'task_failed', message: 'as planned' } }
const script = { task: 'script.javascript', inputBindings: { code: 'return 1' } }

const computed = ({ task, input }: AttemptRequest): AttemptResult | null =>
  taskCatalog.get(task)?.compute?.(input) ?? null

const decisionsOf = (node: string): readonly Decision[] =>
  ['ada', 'bob'].map((by) => ({
    by,
    decision: timeOf(`${node} decision`, 4) === 1 ? 'rejected' : 'approved',
    after: timeOf(`${node} ${by}`, 20_000),
  }))

const durationOf = (node: string, item: number | null, attempt: number) =>
  timeOf(`${node} ${item} ${attempt}`, 3_500)

// ------------------------------------------------------------------------------------------------- examples

const folder = join(import.meta.dirname, '../examples')
const examples = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml'))
  .map((file): PipelineDefinition => {
    const parsed = parseYaml(readFileSync(join(folder, file), 'utf8'))
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.error))
    return pipelineDefinitionSchema.parse(parsed.value)
  })

const artifact = { artifact_id: 'art_1', name: 'file', content_type: 'text/plain', bytes: 1 }
const samples: Readonly<Record<string, JsonObject>> = {
  string: { value: 'text' },
  number: { value: 1 },
  boolean: { value: true },
  array: { value: [] },
  object: { value: {} },
  file: { value: artifact },
  any: { value: { worst_hour: 3, share_of_rain: 43.9 } },
}
const ROW = { days: 1461, rain_days: 641, flights: 3_000_000, first: 'a', last: 'b', last_day: '2015-12-31' }

/** What the tasks of the examples give: by their contracts, with rows where their expressions look into them. */
function resultsOf(node: CompiledNode): JsonObject {
  const outputs = Object.entries(node.contract.output).map(([name, { type }]) => [
    name,
    name === 'rows' ? [ROW] : samples[type]!['value']!,
  ])
  return Object.fromEntries(outputs) as JsonObject
}

const isWork = ({ kind }: CompiledNode) => kind === 'task' || kind === 'pipeline'

function worldOf(pipeline: CompiledPipeline, failing: string | null): RealWorld {
  return {
    durationOf,
    decisionsOf,
    events: [{ type: 'external.data_ready', after: 9_000 }],
    resultOf: (request) =>
      request.nodeId === failing
        ? FAILED
        : (computed(request) ?? { ok: true, outputs: resultsOf(pipeline.nodes.get(request.nodeId)!) }),
  }
}

describe('a rehearsal and a real run of an example', () => {
  it.each(examples)(
    '$id: the plan of the run gives its events again, at the same times',
    async (definition) => {
      const pipeline = compiled(definition)
      const entries = await runForReal(definition, worldOf(pipeline, null))
      const plan = planOfRun(pipeline, entries)
      if (!plan.ok) throw new Error(plan.message)
      const rehearsal = rehearsed(pipeline, plan.plan)
      expect(orderOf(rehearsal.entries)).toEqual(orderOf(entries))
      expect(rehearsal.view.status).toBe('completed')
      expect([...rehearsal.nodes.values()].flatMap(({ invented }) => invented)).toEqual([])
    },
  )

  const failures = examples.flatMap((definition) => {
    const work = [...compiled(definition).nodes.values()].filter(isWork)
    return work.map(({ id }) => ({ id: definition.id, node: id, definition }))
  })
  it.each(failures)('$id: it predicts what happens when $node fails', async ({ definition, node }) => {
    const pipeline = compiled(definition)
    const plan = planOfRun(pipeline, await runForReal(definition, worldOf(pipeline, null)))
    if (!plan.ok) throw new Error(plan.message)
    const nodes: NonNullable<RehearsalPlan['nodes']> = {}
    for (const { id } of [...pipeline.nodes.values()].filter(isWork))
      nodes[id] = { duration: durationOf(id, null, 1), ...plan.plan.nodes?.[id] }
    nodes[node] = { ...nodes[node], failure: { message: 'as planned' } }
    const rehearsal = rehearsed(pipeline, { ...plan.plan, nodes })
    const entries = await runForReal(definition, worldOf(pipeline, node))
    expect(orderOf(rehearsal.entries)).toEqual(orderOf(entries))
    expect(statuses(rehearsal.state.nodes)).toEqual(statuses(folded(pipeline, entries).nodes))
    expect(rehearsal.nodes.get(node)?.status).toMatch(/failed|skipped/)
  })
})

describe('a rehearsal and a real run of a pipeline within a pipeline', () => {
  const S = 'event:pipeline.started'
  const child: PipelineDefinition = {
    schemaVersion: 1,
    id: 'inner',
    name: 'inner',
    outputs: { total: { value: '{{ made.v }}' } },
    nodes: [
      { id: 'work', ...script, startWhen: S },
      { id: 'made', task: 'set', inputBindings: { v: 7 }, startWhen: 'event:work.completed' },
    ],
  }
  const parent: PipelineDefinition = {
    schemaVersion: 1,
    id: 'outer',
    name: 'outer',
    nodes: [
      { id: 'sub', pipeline: 'inner', startWhen: S },
      { id: 'beside', ...script, startWhen: S },
      { id: 'read', task: 'set', inputBindings: { v: '{{ sub.total }}' }, startWhen: 'event:sub.completed' },
      { id: 'mend', task: 'noop', startWhen: 'event:sub.failed' },
    ],
  }
  const pipeline = compiled(parent)
  const real = (failing: string | null): RealWorld => ({ ...worldOf(pipeline, failing), pipelines: [child] })

  it.each([null, 'work'])(
    '[N-8][N-11] the stand-in gives what the child gave, when %s fails in it',
    async (failing) => {
      const world = { ...real(failing), resultOf: (request: AttemptRequest) => innerResult(request, failing) }
      const entries = await runForReal(parent, world)
      const ended = entries.find(({ event }) => /^sub\.task\.(completed|failed)$/.test(event.type))!
      const duration = Number(ended.event.payload['duration_ms'])
      const sub =
        failing === null
          ? { duration, outputs: { total: 7 } }
          : { duration, failure: { message: 'work failed: as planned' } }
      const nodes: RehearsalPlan['nodes'] = { sub }
      for (const id of ['beside', 'read', 'mend']) nodes[id] = { duration: durationOf(id, null, 1) }
      const rehearsal = rehearsed(pipeline, { nodes })
      expect(orderOf(rehearsal.entries)).toEqual(orderOf(entries))
      const folds = folded(pipeline, entries)
      expect(rehearsal.state.variables.get('read.v')?.value).toEqual(folds.variables.get('read.v')?.value)
      const [planned, happened] = [rehearsal.state, folds].map((state) => state.nodes.get('sub'))
      if (planned?.status === 'failed' && happened?.status === 'failed')
        expect(planned.error).toMatchObject({ kind: happened.error.kind, message: happened.error.message })
      expect(planned?.status).toBe(failing === null ? 'completed' : 'failed')
    },
  )
})

function innerResult(request: AttemptRequest, failing: string | null): AttemptResult {
  if (request.nodeId === failing) return FAILED
  return computed(request) ?? { ok: true, outputs: { result: 1 } }
}

// ------------------------------------------------------------------------------------------------- random pipelines

/** A script of a random pipeline says in its input how many attempts fail first, by item: `{ fails: [2, 0] }`. */
function failsFirst(input: unknown, item: number | null): number {
  const { fails = [0] } = (input ?? {}) as { readonly fails?: readonly number[] }
  return fails[(item ?? 0) % fails.length] ?? 0
}

function randomWorld(random: Random, failing: string | null, losing: boolean): RealWorld {
  return {
    durationOf,
    decisionsOf,
    slots: random.whole(1, 4),
    events: [0, 1, 2].map((index) => ({ type: `external.e${index}`, after: random.whole(1, 30_000) })),
    ...(random.chance(0.15) ? { cancelAfter: random.whole(1, 20_000) } : {}),
    resultOf: (request) => {
      if (request.nodeId === failing) return FAILED
      const result = computed(request)
      if (result !== null) return result
      if (losing && timeOf(`${request.nodeId} ${request.token}`, 3) === 1)
        return { ok: 'lost', reason: 'the worker died' }
      return request.attempt <= failsFirst(request.input['input'], request.item)
        ? { ok: false, error: { kind: 'task_failed', message: 'not yet' } }
        : { ok: true, outputs: { result: 1 } }
    },
  }
}

/** The same world as a plan, made of what the world knows and not of what a run came to. */
function planOfWorld({ definition, world, failing, executionId, startAt }: WorldOfPlan): RehearsalPlan {
  const nodes: NonNullable<RehearsalPlan['nodes']> = {}
  for (const { id, task, forEach, retry, inputBindings } of definition.nodes) {
    if (task === 'approval' || task === 'wait') continue
    const items =
      forEach === undefined ? [null] : (forEach.items as readonly unknown[]).map((_, item) => item)
    const numbers = Array.from({ length: retry?.maxAttempts ?? 1 }, (_, index) => index + 1)
    const attempts = items.flatMap((item) =>
      numbers.map((attempt) => {
        const end =
          taskCatalog.get(task!)?.compute !== undefined
            ? {}
            : attempt <= failsFirst(inputBindings?.['input'], item)
              ? { error: { kind: 'task_failed', message: 'not yet' } }
              : { outputs: { result: 1 } }
        return {
          ...(item === null ? {} : { item }),
          attempt,
          duration: durationOf(id, item, attempt),
          ...end,
        }
      }),
    )
    nodes[id] = { attempts, ...(id === failing ? { failure: { message: 'as planned' } } : {}) }
  }
  const approvals = definition.nodes.filter(({ task }) => task === 'approval').map(({ id }) => id)
  return {
    executionId,
    startAt,
    nodes,
    actor: { name: 'ada' },
    slots: world.slots,
    approvals: Object.fromEntries(approvals.map((id) => [id, [...decisionsOf(id)]])),
    events: [...(world.events ?? [])],
    ...(world.cancelAfter === undefined ? {} : { cancel: { after: world.cancelAfter, reason: 'enough' } }),
  }
}

type WorldOfPlan = {
  readonly definition: PipelineDefinition
  readonly world: RealWorld
  readonly failing: string | null
  readonly executionId: string
  readonly startAt: string
}

const SEEDS = 100

describe('a rehearsal and a real run of a random pipeline', () => {
  it('[R-5][R-8][R-55][R-67] gives the same events, with the plan of the run and with a plan of the world', async () => {
    let compared = 0
    const ends = new Set<string>()
    for (let seed = 1; seed <= SEEDS; seed++) {
      const random = new Random(seed)
      const { definition } = randomPipeline(random, 'q', random.whole(2, 18), [])
      const work = definition.nodes.filter(({ task }) => task !== 'approval' && task !== 'wait')
      const failing = work.length > 0 && random.chance(0.5) ? random.pick(work).id : null
      const losing = random.chance(0.3)
      const world = randomWorld(random, failing, losing)
      const entries = await runForReal(definition, world)
      if (hasTies(entries)) continue
      compared += 1
      const pipeline = compiled(definition)
      const planned = planOfRun(pipeline, entries)
      if (!planned.ok) throw new Error(planned.message)
      // What a computed node came to when somebody made it fail is not in its input.
      const again = failing === null ? {} : failureOf(planned.plan, failing)
      const first = rehearsed(pipeline, { ...planned.plan, ...again, slots: world.slots })
      expect(first.entries, `plan of the run, seed ${seed}`).toEqual(entries)
      ends.add(first.view.status)
      // Which tokens are lost is nothing that a plan could know before the run.
      if (losing) continue
      const { execution_id: executionId, timestamp } = entries[0]!.event
      const plan = planOfWorld({ definition, world, failing, executionId, startAt: timestamp })
      const second = rehearsed(pipeline, plan)
      expect(second.entries, `plan of the world, seed ${seed}`).toEqual(entries)
      expect(rehearsed(pipeline, plan).entries).toEqual(second.entries)
    }
    expect(compared).toBeGreaterThan(SEEDS / 2)
    expect([...ends].sort()).toEqual(['cancelled', 'completed', 'failed'])
  }, 120_000)
})

function failureOf({ nodes }: RehearsalPlan, id: string): Pick<RehearsalPlan, 'nodes'> {
  return { nodes: { ...nodes, [id]: { ...nodes?.[id], failure: { message: 'as planned' } } } }
}
