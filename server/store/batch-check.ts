import { LIMITS } from '@/core/engine/event'
import type { Entry } from '@/core/engine/event'
import type { Batch, CommitResult, ExecutionWrite, Ownership } from '@/server/ports/journal'
import { requireExecutionId } from './bounds'
import { parseExactInstant } from '@/core/engine/instant'
import { StoreError } from './store-error'

/**
 * What every implementation of the journal may rely on: seqs follow each other from `expectedSeq + 1`, events belong to
 * their execution, timestamps can be read back as they were written, payloads keep their limit.
 * These are invariants of the engine, so a breach is loud and nothing of the batch is written.
 * @throws StoreError `invalid_batch`, `missing_execution_id`
 */
export function checkBatch(batch: Batch): void {
  for (const write of batch.executions) checkWrite(write)
}

/** Whether a write names the claim that holds now. */
export const isOwner = (now: Ownership, { owner, epoch }: Ownership): boolean =>
  owner === now.owner && epoch === now.epoch

/** The answer to a batch: its conflicts, and who owns the store when a writer of the batch does not. */
export function commitResult(now: Ownership, batch: Batch, conflicts: ReadonlySet<string>): CommitResult {
  const outdated = batch.executions.some((write) => !isOwner(now, write))
  return { conflicts: [...conflicts], ...(outdated ? { ownedBy: now } : {}) }
}

function checkWrite(write: ExecutionWrite): void {
  const id = requireExecutionId(write.executionId)
  if (!Number.isSafeInteger(write.expectedSeq) || write.expectedSeq < 0) fail(id, 'expectedSeq is not a seq')
  if (write.row !== undefined && write.row.executionId !== id)
    fail(id, 'the registry row names another execution')
  let seq = write.expectedSeq
  for (const entry of write.entries) {
    seq += 1
    checkEntry(id, seq, entry)
  }
}

function checkEntry(id: string, seq: number, { event, variables }: Entry): void {
  if (event.execution_id !== id) fail(id, `event ${seq} names another execution`)
  if (event.seq !== seq) fail(id, `event ${event.seq} stands where ${seq} is due`)
  if (event.id !== `${id}.${seq}`) fail(id, `event ${seq} has the id ${JSON.stringify(event.id)}`)
  if (event.type.length === 0) fail(id, `event ${seq} has no type`)
  if (Number.isNaN(parseExactInstant(event.timestamp))) {
    fail(id, `the timestamp of event ${seq} is not ISO 8601 UTC with milliseconds`)
  }
  if (variables.length === 0) return
  const names = new Set(variables.map((variable) => variable.name))
  if (names.size !== variables.length) fail(id, `event ${seq} writes a variable twice`)
  if (names.has('')) fail(id, `event ${seq} writes a variable without a name`)
}

/** JSON of a payload, refused past its hard limit. */
export function payloadText(event: Entry['event']): string {
  const text = JSON.stringify(event.payload)
  // A UTF-16 unit is at most three bytes of UTF-8: short texts need no count.
  const over =
    text.length * 3 > LIMITS.eventPayloadBytes && Buffer.byteLength(text) > LIMITS.eventPayloadBytes
  if (over)
    fail(event.execution_id, `the payload of event ${event.seq} is over ${LIMITS.eventPayloadBytes} bytes`)
  return text
}

function fail(executionId: string, reason: string): never {
  throw new StoreError('invalid_batch', `The journal refuses a write of execution ${executionId}: ${reason}.`)
}
