import type { Entry } from '@/core/engine/event'
import { ruleOf } from '@/core/engine/event-table'
import { logViolations, replayDiffers, violations } from '@/core/engine/invariants'
import { nodeOfSnapshot } from '@/core/engine/snapshot'
import { SUPERSEDED_BY_RESTART } from '@/core/engine/superseded'
import { isTerminal, type ExecutionState } from '@/core/engine/state'
import { waitingFor } from '@/core/engine/waiting-for'
import { compilePipeline, type CompiledPipeline } from '@/core/pipeline/compile'
import { taskCatalog } from '@/core/tasks/catalog'
import type { Orchestrator } from '@/server/orchestrator/contract'
import { createOrchestrator } from '@/server/orchestrator/orchestrator'
import type { Journal } from '@/server/ports/journal'
import type { Store } from '@/server/store/store'
import { openMemoryStore } from '@/server/store/memory/open'
import { createMemoryArtifacts } from '@/testing/memory-artifacts'
import { Random } from './random'
import { randomPipeline } from './random-pipeline'
import { SimulatedRunner } from './simulated-runner'
import { World } from './world'

export type Report = {
  readonly events: number
  readonly crashes: number
  readonly executions: number
  readonly entries: number
  readonly statuses: Record<string, number>
}

const PEOPLE = [
  { name: 'ada', roles: ['approver'] },
  { name: 'bob', roles: ['approver'] },
  { name: 'eve', roles: ['operator'] },
]
const SLOTS = 3
/** Virtual time in which crashes, cancels and reluctant people happen; afterwards everybody helps every run to its end. */
const TROUBLE_MS = 40_000
const EVENT_BUDGET = 60_000

/**
 * One seed: random pipelines, run by the real core and the real orchestrator over simulated ports. The journal delays
 * and crashes at calls, before or after they took effect; workers are lost; people decide, publish and cancel.
 * Checks the invariants after every commit, and at the end that nothing acknowledged is missing, that every log is
 * sound, and that a cold replay gives the live state. Throws what does not hold.
 */
export async function simulate(seed: number): Promise<Report> {
  const random = new Random(seed)
  const world = new World(random)
  const started = world.now
  const store = openMemoryStore()
  const artifacts = createMemoryArtifacts()
  const runner = new SimulatedRunner(world, 0.08)
  const pipelines = new Map<string, CompiledPipeline>()
  for (let index = 0; index < random.whole(1, 3); index++) {
    const definition = randomPipeline(random, `p${index}`, random.whole(2, 12), [...pipelines.keys()])
    const result = compilePipeline(definition, { revision: 1, tasks: taskCatalog })
    if (!result.ok) throw new Error(`seed ${seed}: ${JSON.stringify(result.issues)}`)
    pipelines.set(definition.id, result.pipeline)
    const revision = {
      pipelineId: definition.id,
      definition: definition as never,
      text: null,
      digest: definition.id,
      createdAt: 0,
      createdBy: 'ada',
    }
    await store.pipelines.create({ name: definition.id, description: null, labels: {}, revision })
  }

  const crashRate = random.pick([0, 0.01, 0.03])
  /** Key of a start request → id of its execution, once acknowledged. */
  const acknowledgedStarts = new Map<string, string>()
  const acknowledgedEvents: { executionId: string; seq: number; type: string }[] = []
  let orchestrator!: Orchestrator
  let crashes = 0
  let bootedIn = -1
  let failure: unknown = null
  /** Reruns and forks that are asked for and not answered: what is over may begin again. */
  let goingBack = 0
  let over = false
  const troubled = () => world.now - started < TROUBLE_MS

  function crash(): Promise<never> {
    crashes += 1
    world.crash()
    world.schedule(world.now + random.whole(0, 500), boot, -1)
    return new Promise(() => undefined)
  }

  function crashingJournal(): Journal {
    return {
      async commit(batch) {
        await world.delay(3)
        if (troubled() && random.chance(crashRate)) return crash()
        const result = await store.journal.commit(batch)
        if (troubled() && random.chance(crashRate)) return crash()
        await world.delay(3)
        return result
      },
      read: (executionId, range) => store.journal.read(executionId, range),
    }
  }

  function boot(): void {
    bootedIn = world.epoch
    goingBack = 0
    const warn = (what: string, error: unknown) => (failure ??= new Error(`${what}: ${String(error)}`))
    let next = 0
    orchestrator = createOrchestrator(
      {
        ...(world.guarded({ ...store }) as typeof store),
        journal: world.guarded(crashingJournal()),
        artifacts,
        runner,
        clock: world.clock(),
        ids: { execution: () => `x${world.epoch}_${next++}`, artifact: () => 'none' },
        tasks: taskCatalog,
        warn,
        fatal: (error) => (failure ??= error),
      },
      { maxConcurrentTasks: SLOTS, idleKept: random.pick([0, 1, 100]), sweepEveryMs: 5_000 },
    )
    orchestrator.onCommit(({ state, entries }) => {
      const found = [...violations(state), ...entries.flatMap(eventViolations)]
      const { inUse } = orchestrator.admission()
      if (inUse > SLOTS) found.push(`${inUse} of ${SLOTS} slots are held`)
      const { limit, holders } = orchestrator.places(state.pipeline.definition.id)
      if (limit !== null && holders.length > limit)
        found.push(`${holders.length} of ${limit} places are held`)
      if (found.length > 0) failure ??= new Error(found.join('\n'))
    })
    orchestrator.recover().catch((error: unknown) => (failure ??= error))
    world.schedule(world.now + 10, people)
  }

  const runs = random.whole(1, 6)
  const ended = async () => {
    const up = bootedIn === world.epoch && orchestrator.ready()
    if (!up || acknowledgedStarts.size < runs) return false
    over = goingBack === 0 && (await store.executions.open({ limit: 1 })).length === 0
    return over && goingBack === 0
  }

  /** Somebody does something, now and then. */
  function people(): void {
    if (orchestrator.ready()) void act(orchestrator).catch((error: unknown) => (failure ??= error))
    world.schedule(world.now + random.whole(5, troubled() ? 2_000 : 200), people)
  }

  async function act(at: Orchestrator): Promise<void> {
    const missing = Array.from({ length: runs }, (_, index) => `start-${index}`).filter(
      (key) => !acknowledgedStarts.has(key),
    )
    if (missing.length > 0) await startRun(at, random.pick(missing))
    if (troubled() && !over && random.chance(0.1)) {
      goingBack += 1
      await goBack(at)
      goingBack -= 1
    }
    const open = await store.executions.open({ limit: 100 })
    if (open.length === 0) return
    const row = random.pick(open)
    const state = await at.state(row.executionId)
    if (state === null) throw new Error(`${row.executionId} is open and cannot be folded`)
    const waiting = [...state.nodes]
      .filter(([, node]) => node.status === 'waiting' && node.approval !== null)
      .map(([id]) => id)
    const actor = random.pick(PEOPLE)
    if (troubled() && random.chance(0.03)) {
      await at.submit({ executionId: row.executionId, input: { type: 'cancel', reason: null, actor } })
    } else if (random.chance(state.paused ? 0.5 : troubled() ? 0.05 : 0)) {
      const input = state.paused
        ? ({ type: 'resume', actor } as const)
        : ({ type: 'pause', reason: null, hard: random.chance(0.5), actor } as const)
      await at.submit({ executionId: row.executionId, input })
    } else if (waiting.length > 0 && random.chance(0.7)) {
      const word = random.chance(0.75) ? 'approved' : 'rejected'
      await publish(at, row.executionId, `external.${random.pick(waiting)}.${word}`, actor)
    } else {
      await publish(at, row.executionId, `external.e${random.whole(0, 2)}`, actor)
    }
  }

  async function startRun(at: Orchestrator, key: string): Promise<void> {
    const pipelineId = `p${Number(key.slice(6)) % pipelines.size}`
    const answer = await at.start({
      pipelineId,
      revision: 1,
      inputs: {},
      actor: PEOPLE[0]!,
      priority: pipelines.get(pipelineId)!.priority,
      labels: {},
      mocks: {},
      idempotency: { scope: 'start', key, requestDigest: key },
    })
    if (!answer.ok) throw new Error(`start refused: ${answer.rejection.message}`)
    const before = acknowledgedStarts.get(key)
    if (before !== undefined && before !== answer.executionId)
      throw new Error(`${key} started twice: ${before}, ${answer.executionId}`)
    acknowledgedStarts.set(key, answer.executionId)
  }

  /** Runs some nodes of any execution again, or forks it anywhere. A refusal is an answer, too. */
  async function goBack(at: Orchestrator): Promise<void> {
    const rows = (await store.executions.list({ limit: 100 })).items
    if (rows.length === 0 || rows.length > 100) return
    const { executionId, pipelineId } = random.pick(rows)
    const actor = PEOPLE[0]!
    if (random.chance(0.3)) {
      const log = await store.journal.read(executionId)
      await at.fork({ executionId, atSeq: random.whole(0, log.length), actor })
      return
    }
    const ids = [...pipelines.get(pipelineId)!.nodes.keys()]
    const nodes = random.chance(0.5) ? ('failed' as const) : [random.pick(ids)]
    await at.submit({ executionId, input: { type: 'rerun', nodes, actor } })
  }

  async function publish(
    at: Orchestrator,
    executionId: string,
    eventType: string,
    actor: (typeof PEOPLE)[number],
  ): Promise<void> {
    const answer = await at.submit({
      executionId,
      input: { type: 'publish_event', eventType, payload: {}, actor },
    })
    const first = answer.ok ? answer.entries[0] : undefined
    if (first !== undefined) acknowledgedEvents.push({ executionId, seq: first.seq, type: first.type })
  }

  boot()
  while (!(await ended())) {
    if (failure !== null)
      throw new Error(
        `seed ${seed}, event ${world.events}: ${String(failure instanceof Error ? failure.stack : failure)}`,
      )
    if (world.events > EVENT_BUDGET)
      throw new Error(
        `seed ${seed}: runs did not end: ${(await stuck(store, orchestrator, world)).join('\n')}`,
      )
    await world.advance()
  }
  if (failure !== null) throw new Error(`seed ${seed}: ${String(failure)}`)
  const held = orchestrator.admission().inUse
  if (held !== 0) throw new Error(`seed ${seed}: everything ended and ${held} slots are held`)
  for (const id of pipelines.keys()) {
    const { holders, waiting } = orchestrator.places(id)
    const left = holders.length + waiting.length
    if (left > 0)
      throw new Error(`seed ${seed}: everything ended and ${left} runs hold or want places of ${id}`)
  }

  let entries = 0
  const statuses: Record<string, number> = {}
  const rows = (await store.executions.list({ limit: 250 })).items
  const asked = new Set(acknowledgedStarts.values())
  if (asked.size !== runs) throw new Error(`seed ${seed}: ${runs} starts made ${asked.size} executions`)
  for (const row of rows) {
    statuses[row.status] = (statuses[row.status] ?? 0) + 1
    const log = await store.journal.read(row.executionId)
    entries += log.length
    const pipeline = pipelines.get(row.pipelineId)!
    const found = logViolations(log, pipeline.finallyNodes)
    if (found.length > 0) throw new Error(`seed ${seed}: ${found.join('\n')}`)
    const live = await stateOf(orchestrator, row.executionId, world).catch((error: unknown) => {
      throw new Error(`seed ${seed}: ${String(error)}`)
    })
    if (replayDiffers(live, log))
      throw new Error(`seed ${seed}: a cold replay of ${row.executionId} differs from the live state`)
    checkGates(seed, log)
  }
  for (const event of acknowledgedEvents) {
    const log = await store.journal.read(event.executionId, { after: event.seq - 1, limit: 1 })
    if (log[0]?.event.type !== event.type)
      throw new Error(`seed ${seed}: acknowledged ${event.type} is not at ${event.executionId}@${event.seq}`)
  }
  return { events: world.events, crashes, executions: rows.length, entries, statuses }
}

/** What every run that is open waits for, in words. */
async function stuck(store: Store, orchestrator: Orchestrator, world: World): Promise<string[]> {
  const told: string[] = []
  for (const row of await store.executions.open({ limit: 5 })) {
    const state = await stateOf(orchestrator, row.executionId, world)
    const open = [...state.nodes].filter(([, node]) => !isTerminal(node.status))
    const nodes = open.map(
      ([id, node]) => `  ${id} ${node.status} ${JSON.stringify(node.items)}: ${waitingFor(state, id)?.text}`,
    )
    const flight = [...state.inFlight].map(([id, attempt]) => `  in flight ${id} ${JSON.stringify(attempt)}`)
    told.push(
      `${row.executionId} paused=${state.paused} ${JSON.stringify(orchestrator.admission())}`,
      ...nodes,
      ...flight,
    )
  }
  return told
}

/** Asks for a state while the world goes on. */
async function stateOf(
  orchestrator: Orchestrator,
  executionId: string,
  world: World,
): Promise<ExecutionState> {
  let answer: { state: ExecutionState | null } | { error: unknown } | undefined
  orchestrator.state(executionId).then(
    (state) => (answer = { state }),
    (error: unknown) => (answer = { error }),
  )
  for (let turn = 0; answer === undefined && turn < 1_000; turn++) await world.advance()
  if (answer === undefined || !('state' in answer) || answer.state === null) {
    throw new Error(`${executionId} cannot be read: ${JSON.stringify(answer)}`)
  }
  return answer.state
}

/** Every gate that opened names only events that were in the log before it, and that no reset had superseded by then. */
function checkGates(seed: number, log: readonly Entry[]): void {
  const seen = new Set<string>()
  for (const { event, variables } of log) {
    if (event.type === 'pipeline.restarted') for (const type of SUPERSEDED_BY_RESTART) seen.delete(type)
    if (event.type.endsWith('.reset')) {
      const id = event.source.entity_id
      for (const type of seen)
        if (type.startsWith(`${id}.`) || type.startsWith(`external.${id}.`)) seen.delete(type)
    }
    // What a fork takes over had happened in the run that it came from.
    for (const type of (event.payload['events'] as string[] | undefined) ?? []) seen.add(type)
    for (const { name, value } of variables) {
      const id = nodeOfSnapshot(name)
      if (id === null) continue
      for (const word of (value as { events: string[] }).events) seen.add(`${id}.${word}`)
    }
    const gate = event.payload['gate'] as { events: string[] } | undefined
    for (const type of gate?.events ?? []) {
      if (!seen.has(type))
        throw new Error(`seed ${seed}: ${event.id} (${event.type}) opened by ${type}, which had not happened`)
    }
    seen.add(event.type)
  }
}

function eventViolations({ event }: Entry): string[] {
  const rule = ruleOf(event.type)
  if (rule === undefined) return [`${event.type} is not in the table of events`]
  const parsed = rule.payload.safeParse(event.payload)
  return parsed.success ? [] : [`${event.type}: ${parsed.error.message}`]
}
