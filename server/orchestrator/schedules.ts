import type { JsonObject } from '@/core/engine/event'
import { formatInstant } from '@/core/engine/instant'
import { systemPrincipal } from '@/core/engine/principal'
import type { CompiledPipeline } from '@/core/pipeline/definition/compile'
import { lastFires, nextFire } from '@/core/pipeline/definition/cron'
import { resolveInputs } from '@/core/pipeline/definition/inputs'
import { renderTemplate } from '@/core/pipeline/expression/template'
import type { CronTrigger } from '@/core/pipeline/definition/triggers'
import type { Clock } from '@/server/ports/clock'
import type { PipelineRegistry } from '@/server/ports/registry'
import type { ScheduleRow, ScheduleStore } from '@/server/ports/schedules'
import type { CompiledPipelines } from './compiled-pipelines'
import type { Engine } from './contract'

/** A fire that comes later than this was missed: the server was down, or the clock jumped. */
const LATE_MS = 60_000
/** Missed fires that `missed: all` makes up for at most; older ones are dropped, visibly. */
const MOST_MISSED = 100
/** Longest time between two looks; also keeps every delay within what a timer can hold. */
const LOOK_AGAIN_MS = 60 * 60_000
const DUE_PAGE = 100

export type SchedulesPorts = {
  readonly schedules: ScheduleStore
  readonly pipelines: PipelineRegistry
  readonly compiled: CompiledPipelines
  readonly clock: Clock
  readonly start: Engine['start']
  readonly warn: (what: string, error: unknown) => void
}

type Outcome = Pick<ScheduleRow, 'lastExecutionId' | 'lastError'>

/**
 * Fires cron triggers. An execution is started first, under the key (pipeline, trigger, scheduled time), and the schedule
 * moves on afterwards: a crash in between finds the same instants again and gets the same executions. One timer for the
 * earliest instant; it means only "look again", and with it lost the sweep still looks.
 */
export function createSchedules(ports: SchedulesPorts) {
  const { schedules, clock } = ports
  let looking: Promise<void> | null = null
  let again = false
  let stopped = false
  /** The time of the last look. At the first one nobody knows how far ahead the clock was before. */
  let lookedAt = Infinity
  let cancelTimer: (() => void) | null = null

  function look(): void {
    if (stopped) return
    again = true
    looking ??= runUntilNoneIsDue()
      .catch((error: unknown) => ports.warn('schedules could not be looked at', error))
      .finally(() => {
        looking = null
        if (again) look()
      })
  }

  async function runUntilNoneIsDue(): Promise<void> {
    while (again && !stopped) {
      again = false
      if (clock.now() < lookedAt) await pullBack(clock.now())
      lookedAt = clock.now()
      const due = await schedules.due(clock.now(), DUE_PAGE)
      let failed = false
      for (const row of due) {
        if (stopped) return
        await act(row).catch((error: unknown) => {
          failed = true
          ports.warn(`the schedule ${row.pipelineId}/${row.triggerId} did not fire`, error)
        })
      }
      if (due.length === DUE_PAGE && !failed) again = true
      // What failed is due still: the sweep comes back to it, a timer would at once.
      arm(failed ? null : await schedules.earliest())
    }
  }

  function arm(at: number | null): void {
    cancelTimer?.()
    cancelTimer = at === null || stopped ? null : clock.at(Math.min(at, clock.now() + LOOK_AGAIN_MS), look)
  }

  /** A clock that ran ahead and was set back has left schedules that would sleep until it is there again. */
  async function pullBack(now: number): Promise<void> {
    let cursor: string | null | undefined
    do {
      const page = await schedules.list({ limit: DUE_PAGE, ...(cursor ? { cursor } : {}) })
      for (const row of page.items) {
        const nextAt = nextFire(row.cron, row.timezone, now)
        if (row.nextAt === null || nextAt === null || row.nextAt <= now || row.nextAt <= nextAt) continue
        await schedules.fired(row, { ...row, nextAt })
      }
      cursor = page.nextCursor
    } while (cursor && !stopped)
  }

  async function act(row: ScheduleRow): Promise<void> {
    const now = clock.now()
    const nextAt = nextFire(row.cron, row.timezone, now)
    const current = await currentOf(ports, row)
    if (typeof current === 'string') {
      await schedules.fired(row, { ...row, nextAt, lastAt: row.nextAt, lastError: current })
      return
    }
    const { fires, dropped } = instantsOf(row, current.trigger.missed, now)
    if (dropped !== null) ports.warn(`${row.pipelineId}/${row.triggerId}: ${dropped}`, null)
    let outcome: Outcome = { lastExecutionId: row.lastExecutionId, lastError: null }
    for (const at of fires) outcome = await fire(ports, current, row, at)
    const lastError = outcome.lastError ?? dropped
    await schedules.fired(row, { ...outcome, lastError, nextAt, lastAt: fires.at(-1) ?? row.nextAt })
  }

  return {
    /** Fires what is due and sets the timer for what is next. Called when something may have changed. */
    look,
    /** Resolves when no fire is under way. */
    async stop(): Promise<void> {
      stopped = true
      cancelTimer?.()
      await looking
    },
  }
}

type Current = { readonly compiled: CompiledPipeline; readonly trigger: CronTrigger }

/** The trigger as the latest revision has it, or why there is none. */
async function currentOf(ports: SchedulesPorts, row: ScheduleRow): Promise<Current | string> {
  const pipeline = await ports.pipelines.get(row.pipelineId)
  if (pipeline === null) return 'the pipeline is not there any more'
  try {
    const compiled = await ports.compiled.get(row.pipelineId, pipeline.revision)
    const trigger = compiled?.triggers.get(row.triggerId)
    return compiled === null || trigger?.type !== 'cron'
      ? 'the pipeline does not have this trigger any more'
      : { compiled, trigger }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Starts the execution of one instant, if it was not started yet. */
async function fire(
  ports: SchedulesPorts,
  { compiled, trigger }: Current,
  row: ScheduleRow,
  at: number,
): Promise<Outcome> {
  const failed = (lastError: string): Outcome => ({ lastExecutionId: row.lastExecutionId, lastError })
  const { definition, revision, priority } = compiled
  const scheduledAt = formatInstant(at)
  const given = renderTemplate(trigger.inputs, {
    lookup: (name) => (name === 'system.scheduled_at' ? { value: scheduledAt } : undefined),
    names: () => ['system.scheduled_at'],
  })
  if (!given.ok) return failed(given.error.message)
  const inputs = resolveInputs(definition.inputs ?? {}, given.value)
  if (!inputs.ok)
    return failed(inputs.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '))
  const answer = await ports.start({
    pipelineId: row.pipelineId,
    revision,
    inputs: inputs.values as JsonObject,
    actor: systemPrincipal(`schedule:${row.pipelineId}/${row.triggerId}`, `schedule:${row.triggerId}`),
    priority,
    labels: definition.labels ?? {},
    mocks: {},
    scheduledAt: at,
    idempotency: {
      scope: `schedule:${row.pipelineId}`,
      key: `${row.triggerId}/${scheduledAt}`,
      // The instant is the request: a later revision may give it other inputs, and it has still fired.
      requestDigest: 'schedule',
    },
  })
  return answer.ok
    ? { lastExecutionId: answer.executionId, lastError: null }
    : failed(answer.rejection.message)
}

/** The instants to fire now, oldest first, and what was dropped of those that had passed, in words. */
function instantsOf(
  { cron, timezone, nextAt }: ScheduleRow,
  missed: CronTrigger['missed'],
  now: number,
): { fires: readonly number[]; dropped: string | null } {
  const most = missed === 'all' ? MOST_MISSED : 1
  const { fires, more } = lastFires(cron, timezone, { from: nextAt ?? now, to: now, most })
  if (missed === 'all')
    return { fires, dropped: more ? `only the last ${MOST_MISSED} missed fires were made up for` : null }
  if (missed === 'latest' || fires.every((at) => now - at <= LATE_MS)) return { fires, dropped: null }
  return { fires: [], dropped: 'fires were missed, and missed: none does not make up for them' }
}

export type Schedules = ReturnType<typeof createSchedules>
