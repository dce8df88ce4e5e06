import type { Entry } from '@/core/engine/event'
import { ruleOf } from '@/core/engine/event-table'
import { logViolations, replayDiffers, violations } from '@/core/engine/invariants'
import { typedEvent } from '@/core/engine/typed-event'
import { nodeOfSnapshot } from '@/core/engine/fold/snapshot'
import { isTerminal, type ExecutionState } from '@/core/engine/state'
import { undoneEarly } from './undone-early'
import { SUPERSEDED_BY_RESTART, isSuperseded, supersedersOf } from '@/core/engine/fold/superseded'
import { waitingFor } from '@/core/engine/view/waiting-for'
import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import { compilePipeline, type CompiledPipeline } from '@/core/pipeline/definition/compile'
import { taskCatalog } from '@/tasks/contracts'
import type { Commit, Engine, Runs } from '@/server/orchestrator/contract'
import { createOrchestrator } from '@/server/orchestrator/orchestrator'
import { openMemoryStore } from '@/server/store/memory/open'
import { createMemoryArtifacts } from '@/testing/memory-artifacts'
import { disagreements } from '@/testing/oracle'
import { faultyStore, isInjected, randomFaults } from './faults'
import { earlyEvents } from './never-early'
import { createPeople } from './people'
import type { Acknowledged } from './requests'
import { Random } from './random'
import { overdrawn, setPools, withDemands } from './random-demands'
import { randomPipeline, type RandomPipeline } from './random-pipeline'
import { SimulatedRunner } from './simulated-runner'
import { World } from './world'

export type Report = {
  readonly events: number
  readonly crashes: number
  readonly clockJumps: number
  readonly rollbacks: number
  readonly executions: number
  readonly entries: number
  readonly statuses: Record<string, number>
}

const SLOTS = 3
const SWEEP_MS = 5_000
/** Virtual time in which things go wrong; afterwards everybody helps every run to its end. */
const TROUBLE_MS = 40_000
/** A worker that hangs sends two heartbeats a second, also in the hour by which a clock is set back: 60,000 were too few for some. */
const EVENT_BUDGET = 300_000
const HOUR_MS = 3_600_000

type Pipelines = ReadonlyMap<string, RandomPipeline & { readonly compiled: CompiledPipeline }>

/**
 * One seed: random pipelines, run by the real core and the real orchestrator over simulated ports. Processes die at calls of the
 * store, batches are torn, commits fail, disks are slow, wake-ups and results are lost, doubled and late, clocks are set, workers
 * die or hang; people decide, publish, pause and cancel. Checks the invariants after every commit, and at the end that nothing
 * acknowledged is missing, that every log is sound, that no timer was early, that a cold replay gives the live state, and
 * that the oracle would have come to the same. Throws what does not hold.
 */
export async function simulate(seed: number): Promise<Report> {
  try {
    return await new Simulation(new Random(seed)).run()
  } catch (error) {
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.stack : String(error)}`)
  }
}

class Simulation {
  readonly world: World
  readonly store = openMemoryStore()
  readonly artifacts = createMemoryArtifacts()
  readonly faults
  readonly runner
  readonly started: number
  crashes = 0
  clockJumps = 0
  failure: unknown = null
  over = false
  bootedIn = -1
  engine!: Engine
  runs!: Runs
  people!: ReturnType<typeof createPeople>

  constructor(readonly random: Random) {
    this.world = new World(random)
    this.started = this.world.now
    this.faults = randomFaults(random)
    this.runner = new SimulatedRunner(this.world, this.faults)
  }

  troubled = () => !this.over && this.world.now - this.started < TROUBLE_MS

  /** What goes wrong in the background, unless it is the fault that the world made up. */
  fail = (error: unknown) => {
    if (!isInjected(error)) this.failure ??= error
  }

  crash = (): Promise<never> => {
    // Whatever dies while nothing runs does not bring up a second process.
    if (this.bootedIn === this.world.epoch) {
      this.crashes += 1
      this.world.crash()
      this.world.schedule(this.world.now + this.random.whole(0, 500), this.boot, -1)
    }
    return new Promise(() => undefined)
  }

  boot = () => {
    const { world, random, faults, troubled, crash, fail } = this
    const { epoch } = world
    this.bootedIn = epoch
    // A process that has died reports nothing, whatever of it is still on its way.
    const isAlive = () => world.epoch === epoch
    this.people.forget()
    let next = 0
    const { engine, runs, feed } = createOrchestrator(
      {
        ...faultyStore(this.store, { world, faults, troubled, crash }),
        artifacts: this.artifacts,
        runner: this.runner,
        clock: world.clock({ lost: faults.wakeUpsLost, doubled: faults.wakeUpsDoubled }),
        ids: { execution: () => `x${epoch}_${next++}`, artifact: () => 'none' },
        tasks: taskCatalog,
        warn: (what, error) =>
          isAlive() && this.fail(isInjected(error) ? error : new Error(`${what}: ${String(error)}`)),
        fatal(error) {
          if (!isAlive()) return
          if (isInjected(error)) void crash()
          else fail(error)
        },
      },
      {
        maxConcurrentTasks: SLOTS,
        mostComputed: random.pick([0, 1, 500]),
        maxIdle: random.pick([0, 1, 100]),
        sweepEveryMs: SWEEP_MS,
      },
    )
    this.engine = engine
    this.runs = runs
    feed.onCommit((commit) => this.check(commit))
    feed.onViolations(() => this.checkHealth(runs))
    engine.recover().catch(this.fail)
    world.schedule(world.now + 10, this.somebody)
  }

  check({ state, entries }: Commit): void {
    const found = [...violations(state), ...entries.flatMap(eventViolations)]
    const { inUse } = this.runs.admission()
    // A torn batch may hand on a slot that its holder has not given back: one transaction for all of a batch rules it out.
    if (inUse > SLOTS && this.faults.torn === 0) found.push(`${inUse} of ${SLOTS} slots are held`)
    if (this.faults.torn === 0) found.push(...overdrawn(this.runs))
    const { limit, holders } = this.runs.runsOf(state.pipeline.definition.id)
    if (limit !== null && holders.length > limit) found.push(`${holders.length} of ${limit} runs are counted`)
    if (found.length > 0) this.fail(new Error(found.join('\n')))
  }

  /** What the engine itself finds wrong: also a child that is not as its parent wants it, and that nobody is about to change. */
  checkHealth(runs: Runs): void {
    const found = runs.violations().filter(({ rule }) => rule !== 'overdue')
    if (found.length > 0) this.fail(new Error(found.map(({ message }) => message).join('\n')))
  }

  /** Somebody does something, now and then; later less often when there is nothing to do. */
  somebody = () => {
    const again = (idle: boolean) =>
      this.world.schedule(
        this.world.now + this.random.whole(5, this.troubled() ? 2_000 : idle ? 60_000 : 200),
        this.somebody,
      )
    if (!this.engine.ready()) return void again(false)
    this.people.act(this).then((busy) => again(!busy), this.fail)
  }

  jumpClock = () => {
    this.clockJumps += 1
    const far = this.random.chance(0.7) ? HOUR_MS : this.random.whole(1, 30_000)
    this.world.skew += this.random.chance(0.5) ? far : -far
  }

  async run(): Promise<Report> {
    const { random, world, store } = this
    const pipelines = await this.define()
    const ids = [...pipelines.keys()]
    const runs = Array.from({ length: random.whole(1, 6) }, (_, index) => {
      const pipelineId = ids[index % ids.length]!
      return { key: `start-${index}`, pipelineId, priority: pipelines.get(pipelineId)!.compiled.priority }
    })
    const nodes = (id: string) => [...pipelines.get(id)!.compiled.nodes.keys()]
    this.people = createPeople({
      world,
      store,
      troubled: this.troubled,
      steering: this.faults.steering,
      runs,
      nodes,
    })
    const { acknowledged } = this.people
    for (let jump = 0; jump < this.faults.clockJumps; jump++)
      world.schedule(this.started + random.whole(0, TROUBLE_MS), this.jumpClock, -1)
    const ended = async () => {
      const up = this.bootedIn === world.epoch && this.engine.ready()
      if (!up || acknowledged.starts.size < runs.length) return false
      const open = await store.executions.open({ limit: 1 })
      // What the engine has ended itself holds its slot until its worker has let go.
      return open.length === 0 && this.runs.admission().inUse === 0 && !this.people.goingBack()
    }
    this.boot()
    while (!(await ended())) {
      if (this.failure !== null) throw this.failure
      if (world.events > EVENT_BUDGET) return this.stuck()
      await world.advance()
    }
    this.over = true
    if (this.failure !== null) throw this.failure
    for (const id of ids) {
      const { holders, waiting } = this.runs.runsOf(id)
      const left = holders.length + waiting.length
      if (left > 0) throw new Error(`everything ended and ${left} runs hold or want places of ${id}`)
    }
    const totals = await this.conclude(pipelines, acknowledged)
    if (totals.asked !== runs.length) throw new Error(`${runs.length} starts made ${totals.asked} executions`)
    const { crashes, clockJumps } = this
    return { events: world.events, crashes, clockJumps, ...totals }
  }

  async define(): Promise<Pipelines> {
    await setPools(this.store.pools)
    const pipelines = new Map<string, RandomPipeline & { compiled: CompiledPipeline }>()
    for (let index = 0; index < this.random.whole(1, 3); index++) {
      const made = randomPipeline(this.random, `p${index}`, this.random.whole(2, 12), [...pipelines.keys()])
      const definition = withDemands(made.definition, this.random)
      const result = compilePipeline(definition, { revision: 1, tasks: taskCatalog })
      if (!result.ok) throw new Error(JSON.stringify(result.issues))
      pipelines.set(definition.id, { ...made, definition, compiled: result.pipeline })
      const revision = {
        pipelineId: definition.id,
        definition: definition as never,
        text: null,
        digest: definition.id,
        createdAt: 0,
        createdBy: 'ada',
        createdById: 'usr_ada',
      }
      await this.store.pipelines.create({ name: definition.id, description: null, labels: {}, revision })
    }
    return pipelines
  }

  /** Everything has ended: what is on the disk is held against what was promised. */
  async conclude(pipelines: Pipelines, acknowledged: Acknowledged) {
    const { store } = this
    const statuses: Record<string, number> = {}
    const rows = (await store.executions.list({ limit: 250 })).items
    const logs = new Map<string, Entry[]>()
    for (const { executionId } of rows) logs.set(executionId, await store.journal.read(executionId))
    let entries = 0
    let rollbacks = 0
    for (const { executionId, pipelineId, status } of rows) {
      const log = logs.get(executionId)!
      const { compiled, definition, gates } = pipelines.get(pipelineId)!
      statuses[status] = (statuses[status] ?? 0) + 1
      entries += log.length
      rollbacks += log.filter(({ event }) => event.type === 'pipeline.rolled_back').length
      const found = [
        ...logViolations(log, compiled.finallyNodes),
        ...earlyEvents(log),
        ...gatesOpenedEarly(log),
        ...undoneEarly(log, compiled),
        ...judged(log).flatMap((part) =>
          disagreements({ ...part, definition, gates, childLog: (id) => logs.get(id) }),
        ),
      ]
      const live = await this.stateOf(executionId)
      found.push(...this.heldUp(log))
      if (replayDiffers(live, log)) found.push('a cold replay differs from the live state')
      if (found.length > 0) throw new Error(`${executionId} of ${pipelineId}: ${found.join('\n')}`)
    }
    for (const { executionId, seq, type } of acknowledged.events.values()) {
      if (logs.get(executionId)?.[seq - 1]?.event.type !== type)
        throw new Error(`acknowledged ${type} is not at ${executionId}@${seq}`)
    }
    return {
      asked: new Set(acknowledged.starts.values()).size,
      executions: rows.length,
      entries,
      rollbacks,
      statuses,
    }
  }

  /** Whoever is admitted finds a worker with room: only one that never begins, or a clock that somebody sets, holds an attempt up. */
  heldUp(log: readonly Entry[]): string[] {
    if (this.faults.workersStuck > 0 || this.clockJumps > 0) return []
    return log
      .map(({ event }) => typedEvent(event))
      .filter(
        (typed) =>
          typed.level === 'task' && typed.word === 'lost' && typed.payload.reason.includes('did not begin'),
      )
      .map(({ event }) => `${event.id} did not begin, and every worker does`)
  }

  /** Asks for a state while the world goes on. */
  async stateOf(executionId: string): Promise<ExecutionState> {
    let answer: ExecutionState | null | undefined
    this.runs.state(executionId).then((state) => (answer = state), this.fail)
    for (let turn = 0; answer === undefined && turn < 1_000; turn++) await this.world.advance()
    if (!answer) throw new Error(`${executionId} cannot be read: ${String(this.failure)}`)
    return answer
  }

  /** Throws what every run that is open waits for, in words. */
  async stuck(): Promise<never> {
    this.over = true
    const lines: string[] = []
    for (const row of await this.store.executions.open({ limit: 5 })) {
      const state = await this.stateOf(row.executionId)
      const open = [...state.nodes].filter(([, node]) => !isTerminal(node.status))
      const nodes = open.map(
        ([id, node]) =>
          `  ${id} ${node.status} ${JSON.stringify(node.items)}: ${waitingFor(state, id)?.text}`,
      )
      const flight = [...state.inFlight].map(
        ([id, attempt]) => `  in flight ${id} ${JSON.stringify(attempt)}`,
      )
      const admission = JSON.stringify(this.runs.admission())
      lines.push(
        `${row.executionId} pauses=${JSON.stringify(state.pauses)} ${admission}`,
        ...nodes,
        ...flight,
      )
    }
    throw new Error(`runs did not end:\n${lines.join('\n')}`)
  }
}

/**
 * A log as the oracle judges it: up to each end that a rerun took back, and up to the last; of each what counted then, and of the
 * last only what ended after the last rerun. Nothing of a fork, whose beginning is another's.
 */
function judged(log: readonly Entry[]): readonly { log: readonly Entry[]; since: number }[] {
  const first = log[0] && typedEvent(log[0].event)
  if (first?.level === 'pipeline' && first.word === 'created' && first.payload.origin !== undefined) return []
  const slices: { log: readonly Entry[]; since: number }[] = []
  const slice = (until: number, since: number) => {
    const whole = log.slice(0, until)
    const latest = supersedersOf(whole.map(({ event }) => event))
    slices.push({ log: whole.filter(({ event }) => !isSuperseded(event, latest)), since })
  }
  let since = 0
  let over = false
  for (const { event } of log) {
    if (event.type === 'pipeline.restarted') {
      if (over) slice(event.seq - 1, since)
      since = event.seq
      over = false
    }
    over ||= event.type === 'pipeline.closed'
  }
  slice(log.length, since)
  return slices
}

/** Every gate that opened names only events that were in the log before it, and that no reset had superseded by then. */
function gatesOpenedEarly(log: readonly Entry[]): string[] {
  const seen = new Set<string>()
  const found: string[] = []
  for (const { event, variables } of log) {
    const typed = typedEvent(event)
    if (event.type === 'pipeline.restarted') for (const type of SUPERSEDED_BY_RESTART) seen.delete(type)
    if (typed.level === 'node' && typed.word === 'reset') {
      for (const type of seen) {
        const { node, word } = eventTypeOf(type)
        if (node === typed.node && word !== '') seen.delete(type)
      }
    }
    // What a fork takes over had happened in the run that it came from.
    if (typed.level === 'pipeline' && typed.word === 'created')
      for (const type of typed.payload.events ?? []) seen.add(type)
    for (const { name, value } of variables) {
      const id = nodeOfSnapshot(name)
      if (id === null) continue
      for (const word of (value as { events: string[] }).events) seen.add(`${id}.${word}`)
    }
    const isGated = typed.level === 'node' && (typed.word === 'queued' || typed.word === 'started')
    for (const type of isGated ? typed.payload.gate.events : []) {
      if (!seen.has(type)) found.push(`${event.id} (${event.type}) opened by ${type}, which had not happened`)
    }
    seen.add(event.type)
  }
  return found
}

function eventViolations({ event }: Entry): string[] {
  const rule = ruleOf(event.type)
  if (rule === undefined) return [`${event.type} is not in the table of events`]
  const parsed = rule.payload.safeParse(event.payload)
  return parsed.success ? [] : [`${event.type}: ${parsed.error.message}`]
}
