/** Which events a gate may name: the table that validation, the editor and suggestions share (DESIGN of events, R-51, R-67). */

/** Events of the run itself. All but `started` may stand only in finally nodes. */
export const pipelineEvents = [
  'created',
  'scheduled',
  'started',
  'paused',
  'resumed',
  'checkpointed',
  'checkpoint_skipped',
  'verifying',
  'rolling_back',
  'rolled_back',
  'restarted',
  'completed',
  'failed',
  'cancelling',
  'cancelled',
] as const

const nodeEvents = ['started', 'completed', 'failed', 'skipped', 'cancelled'] as const
const attemptEvents = ['task.started', 'task.running', 'task.completed', 'task.failed', 'task.lost'] as const

const ofApproval: readonly string[] = [...nodeEvents, 'waiting', 'approved', 'rejected', 'timeout']
const ofWait: readonly string[] = [...nodeEvents, 'waiting', 'retrying', ...attemptEvents]
const ofWork: readonly string[] = [...nodeEvents, 'queued', 'retrying', ...attemptEvents]

/** Events that a node of a task type can produce, without the node's name. */
export function eventsOfTask(type: string | undefined): readonly string[] {
  if (type === 'approval') return ofApproval
  return type === 'wait' ? ofWait : ofWork
}
