import { approverText } from '@/core/engine/view/approver-text'
import type { NodeView, WaitingFor } from '@/core/engine/view/view'
import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import { parseStartWhen } from '@/core/pipeline/gate/start-when'

/** Why a node does not run, in words that name nodes as people do. */

type NameOf = (id: string) => string

type Named = ReadonlyMap<string, { readonly definition: { readonly name?: string | undefined } }>

/** The names of nodes by their ids; a node without a name is called by its id. */
export const namesIn =
  (nodes: Named): NameOf =>
  (id) =>
    nodes.get(id)?.definition.name ?? id

/** What a node waits for. */
export function waitText({ kind, text, names }: WaitingFor, nameOf: NameOf): string {
  if (names.length === 0) return text
  if (kind === 'nodes') return `waits for ${names.map(nameOf).join(', ')}`
  return kind === 'people' ? `waits for a decision by ${names.map(approverText).join(', ')}` : text
}

/** Each outcome of a node: that it came, and that it did not. */
const OUTCOMES: Readonly<Partial<Record<string, readonly [string, string]>>> = {
  started: ['started', 'did not start'],
  completed: ['completed', 'did not complete'],
  failed: ['failed', 'did not fail'],
  skipped: ['was skipped', 'was not skipped'],
  cancelled: ['was cancelled', 'was not cancelled'],
  approved: ['was approved', 'was not approved'],
  rejected: ['was rejected', 'was not rejected'],
  timeout: ['timed out', 'did not time out'],
}

const UPSTREAM: Readonly<Partial<Record<string, string>>> = {
  upstream_failed: 'failed',
  upstream_skipped: 'was skipped',
  upstream_cancelled: 'was cancelled',
}

/** Why a node was skipped. */
export function skipText(
  { skip_reason: reason, skip_cause: cause }: Pick<NodeView, 'skip_reason' | 'skip_cause'>,
  nameOf: NameOf,
): string {
  if (reason === null) return 'its start condition can no longer become true'
  if (reason === 'pipeline_cancelled') return 'the run was cancelled'
  if (reason === 'rolled_back') return 'the run was rolled back'
  if (cause === null) return reason.replaceAll('_', ' ')
  if (reason === 'fail_fast') return `${nameOf(cause)} failed, and the first failure ends the run`
  const not = cause.startsWith('!') ? '!' : ''
  const atom = cause.slice(not.length)
  const gate = parseStartWhen(atom)
  if (!gate.ok || gate.value.kind !== 'event')
    return `its condition ${not === '' ? 'was not met' : 'was met'}: ${atom}`
  const { level, node, word } = eventTypeOf(gate.value.type)
  if (level === 'external')
    return not === '' ? `${gate.value.type} did not come in time` : `${gate.value.type} came`
  const name = level === 'pipeline' ? 'the run' : nameOf(node)
  const [came, missing] = OUTCOMES[word] ?? [`sent ${word}`, `did not send ${word}`]
  if (not !== '') return `${name} ${came}`
  // Of a decision that was not made, people want to know just that.
  return `${name} ${word === 'completed' ? (UPSTREAM[reason] ?? missing) : missing}`
}
