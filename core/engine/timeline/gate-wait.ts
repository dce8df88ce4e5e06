import type { CompiledPipeline } from '@/core/pipeline/definition/compile'
import { eventTypeOf, isExternal } from '@/core/pipeline/gate/event-type'
import type { StartWhen } from '@/core/pipeline/gate/start-when'
import { isTerminal, nodeOf, type ExecutionState } from '@/core/engine/state'
import type { Ends } from './play-jobs'

/** What of a forecast no run changes. */
type Ground = {
  /** Without finally nodes, each after its predecessors. */
  readonly order: readonly string[]
  /** Nodes whose gates name an event from outside. */
  readonly outside: ReadonlySet<string>
  /** Nodes that begin when all that they name has ended well: most do. */
  readonly together: ReadonlySet<string>
}

const grounds = new WeakMap<CompiledPipeline, Ground>()

export function groundOf(pipeline: CompiledPipeline): Ground {
  let ground = grounds.get(pipeline)
  if (ground !== undefined) return ground
  const order = pipeline.levels.flat().filter((id) => !pipeline.nodes.get(id)?.finally)
  const outside = new Set<string>()
  const together = new Set<string>()
  for (const { id, gate, gateEvents } of pipeline.nodes.values()) {
    if (gateEvents.some(isExternal)) outside.add(id)
    if (isTogether(gate)) together.add(id)
  }
  ground = { order, outside, together }
  grounds.set(pipeline, ground)
  return ground
}

function isTogether(gate: StartWhen): boolean {
  switch (gate.kind) {
    case 'condition':
      return true
    case 'event':
      return /\.(?:completed|approved)$/.test(gate.type)
    case 'and':
      return gate.terms.every(isTogether)
    default:
      return false
  }
}

/** Nodes that have started, or would if all that is left went well and every condition held. */
export function expectedToStart(state: ExecutionState): ReadonlySet<string> {
  const { order, together } = groundOf(state.pipeline)
  const expected = new Set<string>()
  const starts = (id: string): boolean => {
    const { gate, gateEvents } = state.pipeline.nodes.get(id)!
    if (together.has(id))
      return gateEvents.every((type) => state.events.has(type) || happens(state, type, expected))
    return isDecided(state, gate, { as: true, outside: true, expected })
  }
  for (const id of order) if (nodeOf(state, id).status !== 'pending' || starts(id)) expected.add(id)
  return expected
}

type Asked = {
  /** Whether it comes to be true, or to be dead. */
  readonly as: boolean
  /** Whether what has to come from outside comes, at once. */
  readonly outside: boolean
  readonly expected: ReadonlySet<string>
}

/** Calls back with the nodes whose ends decided that this one begins, as soon as they have ended, if all goes well and every condition holds. */
export function whenReady(
  state: ExecutionState,
  id: string,
  { expected, ends }: { readonly expected: ReadonlySet<string>; readonly ends: Ends },
  then: (after: readonly string[]) => void,
): void {
  const { together } = groundOf(state.pipeline)
  const { gate } = state.pipeline.nodes.get(id)!
  if (!together.has(id) && nodeOf(state, id).status === 'pending') {
    // Nobody knows when an external event comes: it counts only where the gate cannot open without it.
    for (const outside of [false, true]) {
      const asked = { as: true, outside, expected }
      if (isDecided(state, gate, asked)) return whenDecided(state, gate, { ...asked, ends }, then)
    }
  }
  const before = state.pipeline.predecessors.get(id) ?? []
  whenAll(before, ends, () => then(before))
}

/**
 * Whether a gate comes to be true (or dead) if all goes well: of an `&&` every term has to be true and one to be dead, of an `||` the other
 * way round.
 */
function isDecided(state: ExecutionState, gate: StartWhen, asked: Asked): boolean {
  const { as, outside, expected } = asked
  switch (gate.kind) {
    case 'condition':
      return as
    case 'not':
      return isDecided(state, gate.term, { ...asked, as: !as })
    case 'event':
      if (state.events.has(gate.type)) return as
      return happens(state, gate.type, expected) === as && (outside || !isExternal(gate.type))
    case 'and':
    case 'or': {
      const decides = (term: StartWhen) => isDecided(state, term, asked)
      return (gate.kind === 'and') === as ? gate.terms.every(decides) : gate.terms.some(decides)
    }
  }
}

/** Calls back once the gate has the asked truth; never where it does not come to that. */
function whenDecided(
  state: ExecutionState,
  gate: StartWhen,
  asked: Asked & { readonly ends: Ends },
  then: (after: readonly string[]) => void,
): void {
  const { as, ends } = asked
  switch (gate.kind) {
    case 'condition': {
      if (!as) return
      const after = gate.expression.reads.map(({ root }) => root).filter((id) => state.nodes.has(id))
      return whenAll(after, ends, () => then(after))
    }
    case 'not':
      return whenDecided(state, gate.term, { ...asked, as: !as }, then)
    case 'event': {
      if (!isDecided(state, gate, asked)) return
      const { level, node: source } = eventTypeOf(gate.type)
      const node = level === 'external' ? undefined : state.nodes.get(source)
      const isOpen = node !== undefined && state.events.has(gate.type) && !isTerminal(node.status)
      if (node === undefined || isOpen) return then([])
      return whenAll([source], ends, () => then([source]))
    }
    case 'and':
    case 'or': {
      if ((gate.kind === 'and') === as) return whenEach(state, gate.terms, asked, then)
      let isOver = false
      for (const term of gate.terms)
        whenDecided(state, term, asked, (after) => {
          if (!isOver) then(after)
          isOver = true
        })
    }
  }
}

/** One after the other: they are looked at once each, however many there are. */
function whenEach(
  state: ExecutionState,
  terms: readonly StartWhen[],
  asked: Asked & { readonly ends: Ends },
  then: (after: readonly string[]) => void,
): void {
  const after: string[] = []
  let next = 0
  const goOn = () => {
    while (next < terms.length) {
      let isAnswered = false
      let isLater = false
      whenDecided(state, terms[next]!, asked, (own) => {
        for (const id of own) after.push(id)
        next += 1
        isAnswered = true
        if (isLater) goOn()
      })
      isLater = true
      if (!isAnswered) return
    }
    then(after)
  }
  goOn()
}

function whenAll(ids: readonly string[], ends: Ends, then: () => void): void {
  let next = 0
  const goOn = () => {
    while (next < ids.length && ends.has(ids[next]!)) next += 1
    if (next < ids.length) ends.next(ids[next]!, goOn)
    else then()
  }
  goOn()
}

/** Whether something that has not happened would, if all that is left went well. */
function happens(state: ExecutionState, type: string, expected: ReadonlySet<string>): boolean {
  const { level, node: source, word } = eventTypeOf(type)
  if (level === 'external') return true
  if (level === 'pipeline') return word === 'started'
  const node = state.nodes.get(source)
  if (node === undefined) return false
  if (isTerminal(node.status)) return false
  if (level !== 'node') return false
  return expected.has(source)
    ? word === 'completed' || word === 'approved' || word === 'started'
    : word === 'skipped'
}
