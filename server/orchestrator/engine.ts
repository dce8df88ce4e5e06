import type { Json } from '@/core/engine/event'
import type { TaskCatalog } from '@/core/pipeline/definition/task-description'
import type { Admission } from '@/core/scheduling/admission'
import type { ExecutionRegistry } from '@/server/ports/registry'
import type { Runner } from '@/server/ports/runner'
import type { CommitLoop } from './commit-loop'
import type { Outcome, Submission } from './submission'
import type { Answer, Engine, SubmitRequest } from './contract'
import type { Health } from './health'
import type { Live } from './live-execution'
import { conflict, type Once } from './once'
import { demandReady, type PhaseOf } from './phase'
import type { PoolCapacities } from './pool-capacities'
import type { RunLimits } from './run-limits'
import type { Removals } from './retention'
import type { Schedules } from './schedules'
import type { Starts } from './starts'
import type { Sweep } from './sweep'
import type { WakeUps } from './wake-ups'

export type EnginePorts = {
  readonly phase: PhaseOf
  readonly executions: ExecutionRegistry
  readonly runner: Pick<Runner, 'stop'>
  readonly loop: CommitLoop
  readonly limits: RunLimits
  readonly admission: Admission
  readonly capacities: Pick<PoolCapacities, 'read'>
  readonly health: Health
  readonly starts: Starts
  readonly retention: Removals
  readonly schedules: Schedules
  readonly sweep: Sweep
  readonly wakeUps: WakeUps
  readonly once: Once
  readonly tasks: TaskCatalog
  readonly pass: (submission: Pick<Submission, 'executionId' | 'input' | 'remember'>) => Promise<Outcome>
  readonly recover: () => Promise<void>
  readonly warn: (what: string, error: unknown) => void
}

type Taken = Extract<Outcome, { ok: true }>['entries']
type Brief = readonly { readonly id: string; readonly seq: number; readonly type: string }[]

const briefOf = (entries: Taken): Brief =>
  entries.map(({ event }) => ({ id: event.id, seq: event.seq, type: event.type }))

/** The acting side: what changes executions, and the life of the engine itself. */
export function createEngine(ports: EnginePorts): Engine {
  const { phase, loop, limits, admission, health, starts, retention, schedules, sweep, wakeUps } = ports
  const { capacities } = ports

  async function submit({ executionId, input, idempotency }: SubmitRequest) {
    demandReady(phase)
    const remember = idempotency && {
      remember: (_live: Live, entries: Taken) => ({ ...idempotency, answer: briefOf(entries) as Json }),
    }
    const answer = await ports.once<Answer<{ readonly entries: Brief }>>(
      idempotency,
      async () => {
        const outcome = await ports.pass({ executionId, input, ...remember })
        return outcome.ok ? { ok: true, repeated: false, entries: briefOf(outcome.entries) } : outcome
      },
      (record) => ({ ok: true, repeated: true, entries: record.answer as unknown as Brief }),
    )
    return answer === 'conflict' ? conflict(idempotency!.key) : answer
  }

  return {
    start: starts.start,
    fork: starts.fork,
    previewFork: starts.previewFork,
    submit,

    pipelineChanged(pipelineId) {
      const look = () => {
        loop.look()
        schedules.look()
      }
      const failed = (error: unknown) => ports.warn(`'${pipelineId}' changed and was not looked at`, error)
      if (phase.now === 'ready') void limits.changed(pipelineId).then(look, failed)
    },

    async poolsChanged() {
      demandReady(phase)
      await capacities.read()
      loop.look()
    },

    async remove(executionId) {
      demandReady(phase)
      const row = await ports.executions.get(executionId)
      const answer = await retention.remove(executionId)
      if (answer === 'removed' && row !== null) {
        // One that was set apart counted as running until now.
        admission.leaveRun(row.pipelineId, executionId)
        loop.look()
      }
      return answer
    },

    async repair(executionId) {
      demandReady(phase)
      return health.repair(executionId)
    },

    ready: () => phase.now === 'ready',

    occupy(task, what) {
      const vacate = admission.occupy(ports.tasks.get(task)?.demands ?? [], what)
      return () => {
        vacate()
        loop.look()
      }
    },

    async recover() {
      await ports.recover()
      retention.start()
      loop.look()
      sweep.start()
    },

    async stop() {
      phase.now = 'stopped'
      sweep.stop()
      wakeUps.stop()
      await retention.stop()
      await schedules.stop()
      await loop.durable()
      await ports.runner.stop()
    },
  }
}
