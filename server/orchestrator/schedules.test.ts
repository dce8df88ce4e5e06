import { describe, expect, it } from 'vitest'
import type {
  PipelineDefinition,
  PolicyDefinition,
  TriggerDefinition,
} from '@/core/pipeline/definition/definition'
import { nextFire } from '@/core/pipeline/definition/cron'
import { taskCatalog } from '@/tasks/contracts'
import type { Clock } from '@/server/ports/clock'
import type { ScheduleStore } from '@/server/ports/schedules'
import type { Journal } from '@/server/ports/journal'
import type { StorageGauge, StorageUse } from '@/server/ports/storage'
import type { Runner } from '@/server/ports/runner'
import { IMPLEMENTATIONS } from '@/server/store/contract-fixtures'
import type { Store } from '@/server/store/store'
import { S } from '@/testing/engine-run'
import { createMemoryArtifacts } from '@/testing/memory-artifacts'
import { createOrchestrator } from './orchestrator'

const HOUR = 3_600_000
const MINUTE = 60_000
const NOON = Date.UTC(2026, 5, 1, 12)
const iso = (at: number) => new Date(at).toISOString()

/** A clock that goes where the test sets it, also back. */
class HandClock implements Clock {
  #timers = new Set<{ at: number; wake: () => void }>()
  #rounds = new Set<{ left: number; wake: () => void }>()
  constructor(public time: number) {}
  now = () => this.time
  at(at: number, wake: () => void) {
    const timer = { at, wake }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }
  after(left: number, wake: () => void) {
    const round = { left, wake }
    this.#rounds.add(round)
    return () => void this.#rounds.delete(round)
  }
  defer(run: () => void) {
    setImmediate(run)
  }
  set(time: number) {
    this.pass(Math.max(0, time - this.time))
    this.time = time
    for (const timer of [...this.#timers]) {
      if (timer.at > time || !this.#timers.delete(timer)) continue
      timer.wake()
    }
  }
  /** Time passes, and the clock is as far behind afterwards. */
  pass(ms: number) {
    for (const round of [...this.#rounds]) {
      round.left -= ms
      if (round.left <= 0 && this.#rounds.delete(round)) round.wake()
    }
  }
  /** Nobody is there any more. */
  die() {
    this.#timers.clear()
    this.#rounds.clear()
  }
}

const never = () => new Promise<never>(() => undefined)
const runner: Runner = {
  dispatch(_request, sink) {
    setImmediate(() => sink.done({ ok: true, outputs: {} }))
    return { abort: () => undefined }
  },
  pools: () => [],
  preparation: () => null,
  stop: async () => undefined,
}

/** Lets promises go on until it holds. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; !(await holds()); turn++) {
    if (turn > 5_000) throw new Error('it never came to hold')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const hourly = (extra: object = {}): TriggerDefinition => ({
  id: 'hourly',
  type: 'cron',
  cron: '@hourly',
  ...extra,
})

function definitionOf(
  trigger: TriggerDefinition,
  policy: PolicyDefinition,
  task = 'noop',
): PipelineDefinition {
  const inputs = { when: { type: 'string' as const, required: false } }
  return { id: 'p', inputs, policy, triggers: [trigger], nodes: [{ id: 'a', task, startWhen: S }] }
}

async function declare(
  store: Store,
  definition: PipelineDefinition,
  at: number,
  revision = 0,
): Promise<void> {
  const pipeline = {
    name: 'p',
    description: null,
    labels: {},
    revision: {
      pipelineId: 'p',
      definition: definition as never,
      text: null,
      digest: `d${revision}`,
      createdAt: at,
      createdBy: 'ada',
      createdById: 'usr_ada',
    },
    schedules: (definition.triggers ?? []).flatMap((trigger) => {
      if (trigger.type !== 'cron') return []
      const { id, cron, timezone = 'UTC', enabled = true } = trigger
      return [{ triggerId: id, cron, timezone, enabled, nextAt: nextFire(cron, timezone, at) }]
    }),
  }
  if (revision === 0) await store.pipelines.create(pipeline)
  else await store.pipelines.update(pipeline, revision)
}

let processes = 0

/** A process on the store; `over` replaces parts of it, to stop at a chosen call. */
async function boot(
  store: Store,
  time: number,
  over: { schedules?: ScheduleStore; journal?: Journal; storage?: StorageGauge } = {},
) {
  const clock = new HandClock(time)
  const warnings: string[] = []
  const process = processes++
  let ids = 0
  const { engine, runs } = createOrchestrator(
    {
      ...store,
      ...over,
      artifacts: createMemoryArtifacts(),
      runner,
      clock,
      ids: { execution: () => `x${process}_${ids++}`, artifact: () => 'none' },
      tasks: taskCatalog,
      warn: (what) => void warnings.push(what),
      fatal: (error) => void warnings.push(String(error)),
    },
    { maxConcurrentTasks: 10, mostComputed: 0, maxIdle: 0 },
  )
  await engine.recover()
  return { clock, engine, runs, warnings }
}

/** The instants of all executions, by their variable, in order. */
async function fired(store: Store): Promise<unknown[]> {
  const { items } = await store.executions.list({ limit: 250 })
  const instants = await Promise.all(
    items.map(
      async ({ executionId }) => (await store.variables.get(executionId, 'system.scheduled_at'))?.value,
    ),
  )
  return instants.sort()
}

const row = async (store: Store) => (await store.schedules.get('p', 'hourly'))!
const moved = (store: Store, past: number) =>
  until(async () => ((await row(store)).nextAt ?? Infinity) > past)

describe.each(IMPLEMENTATIONS)('schedules on $name', ({ open }) => {
  it('[G-16] fires at its instants, once each, with the instant as a variable and as an input', async () => {
    await using store = await open()
    await declare(
      store,
      definitionOf(hourly({ inputs: { when: 'at {{ system.scheduled_at }}' } }), {}),
      NOON + 1,
    )
    const at = await boot(store, NOON + 2)
    at.clock.set(NOON + HOUR - 1)
    expect(await fired(store)).toEqual([])
    at.clock.set(NOON + HOUR)
    await moved(store, NOON + HOUR)
    at.clock.set(NOON + 2 * HOUR + 30_000)
    await moved(store, NOON + 2 * HOUR)
    expect(await fired(store)).toEqual([iso(NOON + HOUR), iso(NOON + 2 * HOUR)])
    const [latest] = (await store.executions.list({ limit: 1 })).items
    expect(latest).toMatchObject({ requestedBy: 'schedule:hourly', pipelineId: 'p', revision: 1 })
    expect(await store.variables.get(latest!.executionId, 'pipeline.input.when')).toMatchObject({
      value: `at ${iso(NOON + 2 * HOUR)}`,
    })
    expect(await row(store)).toMatchObject({
      nextAt: NOON + 3 * HOUR,
      lastAt: NOON + 2 * HOUR,
      lastExecutionId: latest!.executionId,
      lastError: null,
    })
    expect(at.warnings).toEqual([])
    await at.engine.stop()
  })

  const places = {
    'before the execution is written': (store: Store) => ({ journal: { ...store.journal, commit: never } }),
    'after it is written and before anybody knows': (store: Store) => ({
      journal: {
        ...store.journal,
        commit: (batch: Parameters<Journal['commit']>[0]) => store.journal.commit(batch).then(never),
      },
    }),
    'before the schedule moves on': (store: Store) => ({ schedules: { ...store.schedules, fired: never } }),
    'after it has moved on': (store: Store) => ({
      schedules: {
        ...store.schedules,
        fired: (...step: Parameters<ScheduleStore['fired']>) => store.schedules.fired(...step).then(never),
      },
    }),
  }
  it.each(Object.entries(places))(
    '[G-16][R-73] a process that dies %s neither loses nor repeats a fire',
    async (_, die) => {
      await using store = await open()
      await declare(store, definitionOf(hourly({ missed: 'all' }), {}), NOON + 1)
      const dying = await boot(store, NOON + 2, die(store))
      dying.clock.set(NOON + HOUR)
      // It gets as far as it can.
      for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve))
      dying.clock.die()
      const next = await boot(store, NOON + 2 * HOUR + 1)
      await moved(store, NOON + 2 * HOUR)
      expect(await fired(store)).toEqual([iso(NOON + HOUR), iso(NOON + 2 * HOUR)])
      await next.engine.stop()
    },
  )

  it('[G-16] makes up for what was missed as the trigger says', async () => {
    const after = async (missed: string, hours: number, late = 10 * MINUTE) => {
      await using store = await open()
      await declare(store, definitionOf(hourly({ missed }), {}), NOON + 1)
      const now = NOON + hours * HOUR + late
      const at = await boot(store, now)
      await moved(store, now)
      const instants = await fired(store)
      const { lastError } = await row(store)
      await at.engine.stop()
      return { instants, lastError, warnings: at.warnings }
    }
    const three = [1, 2, 3].map((hour) => iso(NOON + hour * HOUR))
    expect(await after('latest', 3)).toMatchObject({ instants: three.slice(2), lastError: null })
    expect(await after('all', 3)).toMatchObject({ instants: three, lastError: null })
    expect(await after('none', 3)).toMatchObject({
      instants: [],
      lastError: expect.stringContaining('missed'),
    })
    // Hardly late is not missed.
    expect(await after('none', 3, 20_000)).toMatchObject({ instants: three.slice(2), lastError: null })
    const many = await after('all', 130)
    expect(many.instants).toHaveLength(100)
    expect(many.instants[0]).toBe(iso(NOON + 31 * HOUR))
    expect(many.lastError).toContain('100')
    expect(many.warnings).toEqual([expect.stringContaining('p/hourly: only the last 100')])
  })

  it('[G-16] a clock that jumps, forwards and back, repeats nothing', async () => {
    await using store = await open()
    await declare(store, definitionOf(hourly(), {}), NOON + 1)
    const at = await boot(store, NOON + 2)
    at.clock.set(NOON + 5 * HOUR + MINUTE)
    await moved(store, NOON + 5 * HOUR)
    for (const time of [NOON + HOUR, NOON + 4 * HOUR, NOON + 5 * HOUR, NOON + 5 * HOUR + 1])
      at.clock.set(time)
    at.engine.pipelineChanged('p')
    at.clock.set(NOON + 6 * HOUR)
    await moved(store, NOON + 6 * HOUR)
    expect(await fired(store)).toEqual([iso(NOON + 5 * HOUR), iso(NOON + 6 * HOUR)])
    await at.engine.stop()
  })

  it('[G-16] a clock that ran ahead for a while stops nothing once it is right, while the server runs and after it is started', async () => {
    for (const restart of [false, true]) {
      await using store = await open()
      await declare(store, definitionOf(hourly(), {}), NOON + 1)
      let at = await boot(store, NOON + 2)
      at.clock.set(NOON + 8 * HOUR)
      await moved(store, NOON + 8 * HOUR)
      if (restart) {
        await at.engine.stop()
        at = await boot(store, NOON + 10 * MINUTE)
      } else {
        at.clock.set(NOON + 10 * MINUTE)
        at.clock.pass(MINUTE)
      }
      await until(async () => (await row(store)).nextAt === NOON + HOUR)
      at.clock.set(NOON + HOUR)
      await moved(store, NOON + HOUR)
      expect(await fired(store)).toEqual([iso(NOON + HOUR), iso(NOON + 8 * HOUR)])
      await at.engine.stop()
    }
  })

  it('one that is switched off fires nothing, and on again has missed nothing', async () => {
    await using store = await open()
    await declare(store, definitionOf(hourly({ missed: 'all' }), {}), NOON + 1)
    await store.schedules.setNext('p', 'hourly', null)
    const at = await boot(store, NOON + 2)
    at.clock.set(NOON + 3 * HOUR + MINUTE)
    await store.schedules.setNext('p', 'hourly', NOON + 4 * HOUR)
    at.engine.pipelineChanged('p')
    at.clock.set(NOON + 4 * HOUR)
    await moved(store, NOON + 4 * HOUR)
    expect(await fired(store)).toEqual([iso(NOON + 4 * HOUR)])
    await at.engine.stop()
  })

  it('a start that fails is reported, and the schedule goes on', async () => {
    await using store = await open()
    const broken = definitionOf(hourly({ inputs: { when: 3 } }), {})
    await declare(store, broken, NOON + 1)
    const at = await boot(store, NOON + 2)
    at.clock.set(NOON + HOUR)
    await moved(store, NOON + HOUR)
    expect(await row(store)).toMatchObject({
      lastError: expect.stringContaining('when'),
      lastExecutionId: null,
    })
    await declare(store, definitionOf(hourly(), {}), NOON + HOUR + 1, 1)
    at.clock.set(NOON + 2 * HOUR)
    await moved(store, NOON + 2 * HOUR)
    expect(await row(store)).toMatchObject({ lastError: null, lastAt: NOON + 2 * HOUR })
    expect(await fired(store)).toEqual([iso(NOON + 2 * HOUR)])
    await at.engine.stop()
  })

  it('[R-61] begins nothing when the storage is full, says so, and goes on when there is room', async () => {
    await using store = await open()
    await declare(store, definitionOf(hourly(), {}), NOON + 1)
    const use: StorageUse = {
      databaseBytes: 1,
      walBytes: 0,
      budgetBytes: 1,
      diskFreeBytes: null,
      diskSizeBytes: null,
      level: 'full',
    }
    let level: StorageUse['level'] = 'full'
    const at = await boot(store, NOON + 2, { storage: { use: async () => ({ ...use, level }) } })
    at.clock.set(NOON + HOUR)
    await moved(store, NOON + HOUR)
    expect(await fired(store)).toEqual([])
    expect(await row(store)).toMatchObject({ lastError: expect.stringContaining('PENSTOCK_MAX_DATABASE_MB') })
    level = 'ok'
    at.clock.set(NOON + 2 * HOUR)
    await moved(store, NOON + 2 * HOUR)
    expect(await fired(store)).toEqual([iso(NOON + 2 * HOUR)])
    expect(await row(store)).toMatchObject({ lastError: null })
  })

  it('whenFull: skip leaves a fire out, and says so', async () => {
    await using store = await open()
    const waits = {
      id: 'gate',
      task: 'approval',
      startWhen: S,
      inputBindings: { message: 'ok?', approvers: ['role:admin'] },
    }
    const definition = { ...definitionOf(hourly(), { maxRunning: 1, whenFull: 'skip' }), nodes: [waits] }
    await declare(store, definition, NOON + 1)
    const at = await boot(store, NOON + 2)
    at.clock.set(NOON + HOUR)
    await moved(store, NOON + HOUR)
    at.clock.set(NOON + 2 * HOUR)
    await moved(store, NOON + 2 * HOUR)
    expect(await fired(store)).toEqual([iso(NOON + HOUR)])
    expect(await row(store)).toMatchObject({ lastError: expect.stringContaining('at once (1)') })
    await at.engine.stop()
  })

  it('[R-68] queued runs go one after the other, in order, also over a restart and when they were parked', async () => {
    await using store = await open()
    const definition = definitionOf(hourly({ missed: 'all' }), { maxRunning: 2 }, 'wait')
    const timed = definition.nodes.map((node) => ({ ...node, inputBindings: { duration: '10m' } }))
    await declare(store, { ...definition, nodes: timed }, NOON + 1)
    const first = await boot(store, NOON + 5 * HOUR)
    await moved(store, NOON + 5 * HOUR)
    const statuses = async () =>
      (await store.executions.list({ limit: 50 })).items.map(({ status }) => status).reverse()
    expect(await statuses()).toEqual(['running', 'running', 'pending', 'pending', 'pending'])
    first.clock.die()
    const second = await boot(store, NOON + 5 * HOUR + 1)
    expect(await statuses()).toEqual(['running', 'running', 'pending', 'pending', 'pending'])
    expect(second.runs.runsOf('p')).toMatchObject({
      limit: 2,
      holders: { length: 2 },
      waiting: { length: 3 },
    })
    for (let done = 2; done < 6; done += 2) {
      second.clock.set(second.clock.time + 11 * MINUTE)
      const expected = Array.from({ length: 5 }, (_, index) =>
        index < done ? 'completed' : index < done + 2 ? 'running' : 'pending',
      )
      await until(async () => JSON.stringify(await statuses()) === JSON.stringify(expected))
    }
    await second.engine.stop()
  })
})
