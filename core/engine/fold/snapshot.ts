import type { Entry, Json, JsonObject, NodeError } from '@/core/engine/event'
import { noteFailure } from './handlers'
import { formatInstant, parseInstant } from '@/core/engine/instant'
import { place } from './place'
import type { ApprovalState, ExecutionState, NodeState, SkipReason } from '@/core/engine/state'
import { nodeOf } from '@/core/engine/state'

/**
 * What a fork knows of a node that had ended in the run that it came from: one variable write of its first entry, under a name
 * that no expression can spell and no node can have. The outputs themselves are writes of the same entry, under their own names.
 */
const PREFIX = 'pipeline/'

export const snapshotName = (node: string): string => PREFIX + node

/** The node that a write is the snapshot of, or null: then it is a variable. */
export const nodeOfSnapshot = (name: string): string | null =>
  name.startsWith(PREFIX) ? name.slice(PREFIX.length) : null

/** A node's end as plain data; `events` are the words that it had said and that count. */
export function snapshotOfNode(state: ExecutionState, id: string, events: readonly string[]): JsonObject {
  const node = nodeOf(state, id)
  const handlers = state.handlers.get(id) ?? []
  const at = (ms: number) => formatInstant(ms)
  const base = { status: node.status, attempts: node.attempts, events, handlers }
  switch (node.status) {
    case 'completed':
      return {
        ...base,
        started_at: at(node.startedAt),
        finished_at: at(node.finishedAt),
        outputs: node.outputs,
        approval: approvalJson(node.approval),
      }
    case 'failed':
      return {
        ...base,
        started_at: node.startedAt === null ? null : at(node.startedAt),
        finished_at: at(node.finishedAt),
        error: node.error as unknown as JsonObject,
        approval: approvalJson(node.approval),
      }
    case 'skipped':
      return { ...base, finished_at: at(node.finishedAt), reason: node.reason, cause: node.cause }
    default:
      throw new Error(`invariant: '${id}' is ${node.status} and has no end to keep`)
  }
}

const approvalJson = (approval: ApprovalState | null) => approval as unknown as Json

/** Folds the snapshot of a fork's first entry: its nodes have ended, their events and those of the outside count. */
export function takeSnapshot(state: ExecutionState, { event, variables }: Entry): void {
  for (const type of (event.payload['events'] ?? []) as readonly string[]) state.events.set(type, event.seq)
  for (const { name, value } of variables) {
    const id = nodeOfSnapshot(name)
    if (id !== null) restore(state, id, value as JsonObject, event.seq)
  }
}

function restore(state: ExecutionState, id: string, kept: JsonObject, seq: number): void {
  for (const word of kept['events'] as readonly string[]) state.events.set(`${id}.${word}`, seq)
  const handlers = kept['handlers'] as readonly string[]
  if (handlers.length > 0) state.handlers.set(id, [...handlers])
  place(state, id, ended(nodeOf(state, id), kept))
  if (kept['status'] === 'failed') noteFailure(state, id)
}

function ended(before: NodeState, kept: JsonObject): NodeState {
  const { generation, token, child, items } = before
  const base = { generation, token, child, items, attempts: kept['attempts'] as number }
  const finishedAt = parseInstant(kept['finished_at'] as string)
  const started = kept['started_at']
  const startedAt = typeof started === 'string' ? parseInstant(started) : null
  const approval = (kept['approval'] ?? null) as unknown as ApprovalState | null
  switch (kept['status']) {
    case 'completed':
      return {
        ...base,
        status: 'completed',
        startedAt: startedAt ?? finishedAt,
        finishedAt,
        outputs: kept['outputs'] as string[],
        approval,
      }
    case 'failed':
      return {
        ...base,
        status: 'failed',
        startedAt,
        finishedAt,
        error: kept['error'] as unknown as NodeError,
        approval,
      }
    default:
      return {
        ...base,
        status: 'skipped',
        finishedAt,
        reason: kept['reason'] as SkipReason,
        cause: kept['cause'] as string | null,
      }
  }
}
