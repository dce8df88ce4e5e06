import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import type { Truth } from '@/core/pipeline/gate/evaluate'
import type { StartWhen } from '@/core/pipeline/gate/start-when'
import type { WideWait } from '@/core/engine/state'

/**
 * A gate that joins the events of many nodes, such as the one after a list of a thousand tasks. Looking at all of it whenever one of them
 * ends would cost the square of their number. What one of them decides is seen at that one, and as long as none has decided the
 * gate, any event that is still open keeps it pending.
 */
type WideGate = {
  readonly events: readonly WideEvent[]
  readonly byProducer: ReadonlyMap<string, readonly WideEvent[]>
  /** What decides the gate when one of its events comes to it. */
  readonly decisive: Truth
}

type WideEvent = { readonly type: string; readonly negated: boolean }

/** Smaller gates are evaluated faster than remembered. */
const FEWEST_EVENTS = 32

const shapes = new WeakMap<CompiledNode, WideGate | null>()

/** The shape of the node's gate when it is wide: a `&&` of events of nodes with or without conditions, or a `||` of such events. */
export function wideGateOf(node: CompiledNode): WideGate | null {
  const known = shapes.get(node)
  if (known !== undefined) return known
  const read = readWide(node.gate)
  shapes.set(node, read)
  return read
}

function readWide(gate: StartWhen): WideGate | null {
  if ((gate.kind !== 'and' && gate.kind !== 'or') || gate.terms.length < FEWEST_EVENTS) return null
  const events: WideEvent[] = []
  const byProducer = new Map<string, WideEvent[]>()
  for (const term of gate.terms) {
    const atom = term.kind === 'not' ? term.term : term
    // Conditions of a `&&` are asked last; those that are asked at once may decide the gate alone.
    if (atom.kind === 'condition' && gate.kind === 'and') continue
    if (atom.kind !== 'event') return null
    const { level, node } = eventTypeOf(atom.type)
    if (level !== 'node' && level !== 'task') return null
    const event = { type: atom.type, negated: term.kind === 'not' }
    events.push(event)
    const others = byProducer.get(node)
    if (others === undefined) byProducer.set(node, [event])
    else others.push(event)
  }
  if (events.length < FEWEST_EVENTS) return null
  return { events, byProducer, decisive: gate.kind === 'and' ? 'dead' : 'true' }
}

/** Whether the gate is pending still. False: it has to be evaluated. What was touched has then been looked at. */
export function isStillPending(
  { events, byProducer, decisive }: WideGate,
  wait: WideWait,
  truthOf: (type: string) => Truth,
): boolean {
  const truth = ({ type, negated }: WideEvent) => (negated ? OPPOSITE[truthOf(type)] : truthOf(type))
  for (const producer of wait.touched)
    if (byProducer.get(producer)?.some((event) => truth(event) === decisive)) return false
  wait.touched.length = 0
  let next = events[wait.from]
  while (next !== undefined && truth(next) !== 'pending') next = events[++wait.from]
  return next !== undefined
}

const OPPOSITE: Readonly<Record<Truth, Truth>> = { true: 'dead', dead: 'true', pending: 'pending' }
