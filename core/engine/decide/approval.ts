import { z } from 'zod'
import { identityOf, isSame, type Principal } from '@/core/engine/principal'
import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { inputDefinitionSchema } from '@/core/pipeline/definition/definition'
import { resolveInputs } from '@/core/pipeline/definition/inputs'
import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import type { Json, JsonObject } from '@/core/engine/event'
import { LIMITS } from '@/core/engine/event'
import type { Fact } from './fact'
import { externalFact, nodeFact } from './fact'
import { elapsedMs, formatInstant } from '@/core/engine/instant'
import { isApprover } from './is-approver'
import type { Rejection } from '@/core/engine/input'
import { jsonBytes } from '@/core/engine/json-bytes'
import { rejectionError } from '@/core/engine/rejection'
import { mockedPayload } from '@/core/engine/mocked-values'
import { lightOutputs } from './light-outputs'
import {
  isDecision,
  type ApprovalState,
  type ExecutionState,
  type NodeState,
  type Vote,
} from '@/core/engine/state'
import type { PayloadOf } from '@/core/engine/typed-event'
import type { Decision } from './decision'

type Ballot = { readonly compiled: CompiledNode; readonly decision: Vote['decision'] }

/** The approval whose decision an external event type is, or null: `external.{node}.approved|rejected`. */
export function approvalNamedBy(state: ExecutionState, type: string): Ballot | null {
  const { level, node, word } = eventTypeOf(type)
  if (level !== 'external' || !isDecision(word)) return null
  const compiled = state.pipeline.nodes.get(node)
  return compiled?.kind === 'approval' ? { compiled, decision: word } : null
}

/**
 * One person's vote. 409 unless the approval waits, 403 for anyone but a listed approver, 422 when the form does not fit:
 * in this order. The quorum is counted with this vote; one voice each.
 */
export function decideApproval(
  state: ExecutionState,
  { compiled, decision }: Ballot,
  input: { eventType: string; payload: JsonObject; actor: Principal },
  now: number,
): Decision {
  const { id } = compiled
  const node = state.nodes.get(id)
  if (node?.status !== 'waiting' || node.approval === null) {
    const over = node?.status === 'completed' || node?.status === 'failed'
    const message = over
      ? `approval '${id}' is already decided`
      : `approval '${id}' is ${node?.status ?? 'unknown'} and takes no decision`
    return refuse({ code: over ? 'already_decided' : 'not_waiting', message })
  }
  const { approval } = node
  const { actor, payload } = input
  const noVoice = noVoiceOf(state, approval, actor)
  if (noVoice !== null) return refuse(refusalOfVoter(noVoice, id, approval, actor))
  const comment = payload['comment'] ?? null
  if (comment !== null && (typeof comment !== 'string' || comment.length > LIMITS.textLength)) {
    return refuse({
      code: 'invalid_form',
      message: `the comment must be text of at most ${LIMITS.textLength} characters`,
      issues: [
        {
          path: ['comment'],
          code: 'invalid_type',
          message: `must be text of at most ${LIMITS.textLength} characters`,
        },
      ],
    })
  }
  const form = filledForm(approval, decision, payload['form'])
  if (!form.ok) return refuse(form.rejection)
  const vote: Vote = { approver: identityOf(actor), decision, comment, form: form.values, at: now }
  const said = { approver: actor.name, approver_id: actor.id, comment, form: vote.form }
  const about = { id, generation: node.generation, actor }
  const external = externalFact(input.eventType, said, about)
  const votes = [...approval.votes, vote]
  const rejections = votes.filter((cast) => cast.decision === 'rejected')
  if (rejections.length >= approval.rejectQuorum)
    return { ok: true, facts: [external, ...rejected(compiled, node, rejections, now)] }
  const approvals = votes.filter((cast) => cast.decision === 'approved')
  if (approvals.length >= approval.quorum)
    return { ok: true, facts: [external, ...approved(compiled, node, approvals, now)] }
  return { ok: true, facts: [external] }
}

/** Why somebody cannot decide: the approval does not list them, they asked for the run, or they have decided. */
export type NoVoice = 'not_listed' | 'requester' | 'decided'

export type Voter = Pick<Principal, 'id' | 'name' | 'roles'>

/** Why this person has no voice at an open approval (any more), or null. The door, the lists and the pages ask this. */
export function noVoiceOf(
  { requesters }: Pick<ExecutionState, 'requesters'>,
  { approvers, excludeRequester, votes }: ApprovalState,
  actor: Voter,
): NoVoice | null {
  if (!isApprover(approvers, actor)) return 'not_listed'
  if (excludeRequester && requesters.some((who) => isSame(who, actor))) return 'requester'
  return votes.some((vote) => isSame(vote.approver, actor)) ? 'decided' : null
}

/** The refusal of a decision by somebody who has no voice. */
export function refusalOfVoter(
  reason: NoVoice,
  id: string,
  { approvers }: Pick<ApprovalState, 'approvers'>,
  { name }: Voter,
): Rejection {
  switch (reason) {
    case 'not_listed': {
      const message = `${name} is not among the approvers of '${id}': ${approvers.join(', ')}`
      return { code: 'not_an_approver', message }
    }
    case 'requester': {
      const message = `${name} started this run, or reran it, and may not decide '${id}'`
      return { code: 'not_an_approver', message }
    }
    case 'decided':
      return { code: 'already_decided', message: `${name} has already decided '${id}'` }
  }
}

/** The fields of a form are declared as the inputs of a pipeline are. */
const formFields = z.record(z.string(), inputDefinitionSchema)

type FilledForm = { ok: true; values: JsonObject | null } | { ok: false; rejection: Rejection }

/** Required fields bind an approval; a rejection may leave the form empty. */
function filledForm(approval: ApprovalState, decision: 'approved' | 'rejected', given: unknown): FilledForm {
  if (approval.form === null) {
    return given === undefined || given === null
      ? { ok: true, values: null }
      : invalid([{ path: ['form'], code: 'unknown_field', message: 'this approval has no form' }])
  }
  if (decision === 'rejected' && (given === undefined || given === null)) return { ok: true, values: null }
  if (given !== undefined && given !== null && (typeof given !== 'object' || Array.isArray(given))) {
    return invalid([
      { path: ['form'], code: 'invalid_type', message: 'the form must be an object of its fields' },
    ])
  }
  if (jsonBytes((given ?? null) as Json, LIMITS.formBytes) > LIMITS.formBytes) {
    return invalid([
      { path: ['form'], code: 'too_large', message: `the form is larger than ${LIMITS.formBytes} bytes` },
    ])
  }
  const resolved = resolveInputs(formFields.parse(approval.form), given ?? {})
  return resolved.ok
    ? { ok: true, values: resolved.values as JsonObject }
    : invalid(resolved.issues.map((issue) => ({ ...issue, path: ['form', ...issue.path] })))
}

function invalid(issues: NonNullable<Rejection['issues']>): FilledForm {
  return {
    ok: false,
    rejection: { code: 'invalid_form', message: issues[0]?.message ?? 'the form does not fit', issues },
  }
}

/** `approved` and `completed`, so that plain edges work; the outputs are those of the deciding vote. */
export function approved(
  compiled: CompiledNode,
  node: NodeState,
  votes: readonly Vote[],
  now: number,
): readonly Fact[] {
  const last = votes.at(-1)
  const outputs: JsonObject = {
    decision: 'approved',
    approver: last?.approver.name ?? null,
    comment: last?.comment ?? null,
    form: last?.form ?? null,
    decided_at: formatInstant(now),
  }
  const variables = Object.entries(outputs).map(([name, value]) => ({
    name: `${compiled.id}.${name}`,
    value,
  }))
  const startedAt = node.status === 'waiting' ? node.startedAt : now
  return [
    nodeFact({ node: compiled.id, generation: node.generation }, 'approved', evidence(node, votes)),
    nodeFact(
      { node: compiled.id, generation: node.generation },
      'completed',
      { duration_ms: elapsedMs(startedAt, now), ...lightOutputs(outputs, compiled.id) },
      { variables },
    ),
  ]
}

function rejected(
  compiled: CompiledNode,
  node: NodeState,
  votes: readonly Vote[],
  now: number,
): readonly Fact[] {
  const last = votes.at(-1)!
  const error = rejectionError(last.approver.name, last.comment)
  const outputs: JsonObject = {
    decision: 'rejected',
    approver: last.approver.name,
    comment: last.comment,
    form: last.form,
    decided_at: formatInstant(now),
  }
  const variables = Object.entries(outputs).map(([name, value]) => ({
    name: `${compiled.id}.${name}`,
    value,
  }))
  return [
    nodeFact({ node: compiled.id, generation: node.generation }, 'rejected', evidence(node, votes)),
    nodeFact(
      { node: compiled.id, generation: node.generation },
      'failed',
      { error, attempts: 0 },
      { variables },
    ),
  ]
}

function evidence(node: NodeState, votes: readonly Vote[]): PayloadOf<'node', 'approved' | 'rejected'> {
  const last = votes.at(-1)
  const mocked = 'approval' in node ? (node.approval?.mocked ?? []) : []
  const byHand = node.status === 'waiting' ? (node.approval?.byHand ?? []) : []
  return {
    approver: last?.approver.name ?? 'nobody (timed out)',
    approver_id: last?.approver.id ?? null,
    comment: last?.comment ?? null,
    form: last?.form ?? null,
    approvers: votes.map((vote) => vote.approver.name),
    approver_ids: votes.map((vote) => vote.approver.id),
    ...mockedPayload(mocked),
    ...(byHand.length === 0 ? {} : { by_hand: byHand }),
  }
}

function refuse(rejection: Rejection): Decision {
  return { ok: false, rejection }
}
