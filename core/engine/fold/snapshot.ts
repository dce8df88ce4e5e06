import { z } from 'zod'
import type { Entry, Json, JsonObject } from '@/core/engine/event'
import { skipReason } from '@/core/engine/event-table'
import { faultOf } from '@/core/engine/schema-fault'
import { noteFailure } from './handlers'
import { formatInstant, parseInstant } from '@/core/engine/instant'
import { instantOf, setNode } from './set-node'
import type { ExecutionState, NodeState } from '@/core/engine/state'
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

const instant = z.iso.datetime({ precision: 3 })
const json: z.ZodType<Json> = z.json()
const error = z.object({ kind: z.string(), message: z.string(), detail: z.exactOptional(json) })
const approval = z.object({
  message: z.string(),
  approvers: z.array(z.string()),
  quorum: z.int(),
  rejectQuorum: z.int(),
  onTimeout: z.enum(['fail', 'approve']),
  excludeRequester: z.boolean(),
  form: z.record(z.string(), json).nullable(),
  dueAt: z.number().nullable(),
  mocked: z.array(z.object({ value: z.string(), mocks: z.array(z.string()) })).default([]),
  votes: z.array(
    z.object({
      // Earlier versions knew approvers by name only.
      approver: z.union([
        z.object({ id: z.string().nullable(), name: z.string() }),
        z.string().transform((name) => ({ id: null, name })),
      ]),
      decision: z.enum(['approved', 'rejected']),
      comment: z.string().nullable(),
      form: json,
      at: z.number(),
    }),
  ),
  byHand: z.array(z.string()).default([]),
})
const byHand = z.object({
  actor: z.object({ id: z.string().nullable(), name: z.string() }),
  reason: z.string(),
})
const base = {
  attempts: z.int(),
  /** The words that the node had said and that count. */
  events: z.array(z.string()),
  handlers: z.array(z.string()),
  handled_below: z.exactOptional(z.literal(true)),
  by_hand_below: z.exactOptional(z.array(z.string())),
  finished_at: instant,
}
/** A node's end as plain data: the value of its write. */
const snapshot = z.discriminatedUnion('status', [
  z.object({
    ...base,
    status: z.literal('completed'),
    started_at: instant,
    outputs: z.array(z.string()),
    approval: approval.nullable(),
    byHand: byHand.nullable().default(null),
  }),
  z.object({
    ...base,
    status: z.literal('failed'),
    started_at: instant.nullable(),
    error,
    approval: approval.nullable(),
  }),
  z.object({ ...base, status: z.literal('skipped'), reason: skipReason, cause: z.string().nullable() }),
])

type NodeSnapshot = z.output<typeof snapshot>

/** A node's end, with the words that it had said and that count. @throws when it has not ended so that a fork could take it over */
export function snapshotOfNode(
  state: ExecutionState,
  id: string,
  { events, handlers }: { readonly events: readonly string[]; readonly handlers: readonly string[] },
): JsonObject {
  const node = nodeOf(state, id)
  const at = (ms: number) => formatInstant(ms)
  const byHandBelow = state.byHandBelow.get(id)
  const below = {
    ...(state.handledBelow.has(id) ? { handled_below: true } : {}),
    ...(byHandBelow === undefined ? {} : { by_hand_below: [...byHandBelow] }),
  }
  const base = { status: node.status, attempts: node.attempts, events, handlers, ...below }
  switch (node.status) {
    case 'completed':
      return {
        ...base,
        started_at: at(node.startedAt),
        finished_at: at(node.finishedAt),
        outputs: node.outputs,
        approval: node.approval,
        ...(node.byHand === null ? {} : { byHand: node.byHand }),
      }
    case 'failed':
      return {
        ...base,
        started_at: node.startedAt === null ? null : at(node.startedAt),
        finished_at: at(node.finishedAt),
        error: node.error,
        approval: node.approval,
      }
    case 'skipped':
      return { ...base, finished_at: at(node.finishedAt), reason: node.reason, cause: node.cause }
    default:
      throw new Error(`invariant: '${id}' is ${node.status} and has no end to keep`)
  }
}

/** Folds the snapshot of a fork's first entry: its nodes have ended, their events and those of the outside count. */
export function takeSnapshot(
  state: ExecutionState,
  events: readonly string[],
  { event, variables }: Entry,
): void {
  for (const type of events) state.events.set(type, event.seq)
  for (const { name, value } of variables) {
    const id = nodeOfSnapshot(name)
    if (id !== null) restore(state, id, readSnapshot(id, value), event.seq)
  }
}

function readSnapshot(id: string, value: Json): NodeSnapshot {
  const read = snapshot.safeParse(value)
  if (read.success) return read.data
  throw new Error(`the end of '${id}' in the run that was forked is damaged: ${faultOf(read.error.issues)}`)
}

function restore(state: ExecutionState, id: string, before: NodeSnapshot, seq: number): void {
  for (const word of before.events) state.events.set(`${id}.${word}`, seq)
  if (before.handlers.length > 0) state.handlers.set(id, before.handlers)
  if (before.handled_below) state.handledBelow.add(id)
  if (before.by_hand_below) state.byHandBelow.set(id, before.by_hand_below)
  setNode(state, id, ended(nodeOf(state, id), before))
  if (before.status === 'failed') noteFailure(state, id)
}

function ended(node: NodeState, before: NodeSnapshot): NodeState {
  const { generation, token, child, items } = node
  const { attempts } = before
  const finishedAt = parseInstant(before.finished_at)
  const base = { generation, token, child, items, attempts, finishedAt }
  switch (before.status) {
    case 'completed': {
      const { status, outputs, approval, byHand: done } = before
      const startedAt = parseInstant(before.started_at)
      return { ...base, status, startedAt, outputs, approval, byHand: done }
    }
    case 'failed': {
      const { status, error, approval } = before
      return { ...base, status, startedAt: instantOf(before.started_at), error, approval }
    }
    case 'skipped': {
      const { status, reason, cause } = before
      return { ...base, status, reason, cause }
    }
  }
}
