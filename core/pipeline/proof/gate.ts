import { eventTypeOf, producerOf } from '@/core/pipeline/gate/event-type'
import { constantOf } from '@/core/pipeline/expression/certain-reads'
import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { removeCondition, removeEvent, type EditedGate } from '@/core/pipeline/gate/edit'
import { exampleOf, isScenario, describeExample, type Problem } from './problem'
import type { Proof } from './proof'
import type { ReadGate } from './paths'
import { type PlacedAtom } from '@/core/pipeline/gate/start-when'

/** What is wrong with the gate itself. `never`: it is never true, in no run whatsoever. */
export function proveGate(
  node: CompiledNode,
  { atoms }: ReadGate,
  proof: Proof,
): { never: boolean; problems: Problem[] } {
  const constant = proveConditions(node, atoms, proof)
  const { possible } = proof
  const never = !possible.goesWell(node.id) && possible.find([possible.starts(node.id)]) === null
  if (never) possible.release(node.id)
  if (constant.length > 0) return { never, problems: constant }
  if (never) return { never, problems: [neverStarts(node, atoms, proof)] }
  const always = atoms.length > 1 && possible.atOnce(possible.starts(node.id)) === true
  return { never, problems: always ? [alwaysStarts(node, proof)] : [] }
}

/** A fix is offered only where the result is still a gate. */
function fixOf(node: CompiledNode, proof: Proof, edited: EditedGate): Pick<Problem, 'fix'> {
  if (!edited.ok || edited.value === null) return {}
  return { fix: { path: proof.pathOf(node, 'startWhen'), value: edited.value } }
}

/** Conditions that read nothing. */
function proveConditions(node: CompiledNode, atoms: readonly PlacedAtom[], proof: Proof): Problem[] {
  const problems: Problem[] = []
  let at = -1
  for (const { atom } of atoms) {
    if (atom.kind !== 'condition') continue
    at++
    const value = constantOf(atom.expression)
    if (value === null) continue
    problems.push({
      path: proof.pathOf(node, 'startWhen'),
      code: 'constant_condition',
      message: `'{{ ${atom.source} }}' is always ${value}`,
      hint: 'a condition reads a variable, such as {{ extract.rows > 0 }}',
      severity: 'warning',
      counterExample: [],
      ...fixOf(node, proof, removeCondition(node.definition.startWhen, at)),
    })
  }
  return problems
}

/** An event or more that the node need not wait for. */
function alwaysStarts(node: CompiledNode, proof: Proof): Problem {
  return {
    path: proof.pathOf(node, 'startWhen'),
    code: 'always_starts',
    message: `'${node.id}' starts at once whatever happens: what else startWhen names is never waited for`,
    hint: 'event:pipeline.started beside || is true from the start',
    severity: 'warning',
    counterExample: [],
    ...fixOf(node, proof, removeEvent(node.definition.startWhen, 'pipeline.started')),
  }
}

/** Nobody can bring it about: shown by a run in which as much of the gate as possible is true. */
function neverStarts(node: CompiledNode, atoms: readonly PlacedAtom[], proof: Proof): Problem {
  const { possible } = proof
  const named = producersIn(atoms, proof)
  const terms = node.gate.kind === 'and' ? node.gate.terms : []
  let shown: Problem['counterExample'] = []
  const claims = terms.map((term) => possible.holds(term, node))
  for (let left = terms.length - 1; left >= 0; left--) {
    const scenario = possible.find(claims.toSpliced(left, 1))
    if (!isScenario(scenario)) continue
    shown = exampleOf(scenario, named)
    break
  }
  if (shown.length === 0) {
    const scenario = possible.find([])
    if (isScenario(scenario)) shown = exampleOf(scenario, named)
  }
  const cancelled = atoms.some(
    ({ atom }) => atom.kind === 'event' && eventTypeOf(atom.type).word === 'cancelled',
  )
  const why =
    shown.length === 0 ? 'startWhen contradicts itself' : `when ${describeExample(shown)}, it is skipped`
  const problem: Problem = {
    path: proof.pathOf(node, 'startWhen'),
    code: 'never_starts',
    message: `'${node.id}' can never start: ${why}`,
    severity: 'warning',
    counterExample: shown,
    ...fixOf(node, proof, alternatives(node, proof)),
  }
  if (cancelled && !node.finally)
    problem.hint = 'a cancelled run starts nothing more but nodes with finally: true'
  else if (problem.fix !== undefined) problem.hint = 'join what excludes each other with ||'
  return problem
}

/** Of branches that exclude each other one is enough, where each of them can come. */
function alternatives(node: CompiledNode, { possible, pipeline }: Proof): EditedGate {
  const { gate } = node
  const events = gate.kind === 'and' ? gate.terms.filter((term) => term.kind === 'event') : []
  const types = new Set(events.map(({ type }) => type))
  const producers = new Set([...types].map(producerOf).filter((id) => pipeline.nodes.has(id)))
  const plain = gate.kind === 'and' && events.length === gate.terms.length && producers.size === types.size
  if (!plain || !events.every((event) => isScenario(possible.find([possible.holds(event, node)]))))
    return { ok: true, value: null }
  return { ok: true, value: [...types].map((type) => `event:${type}`).join(' || ') }
}

/** Nodes whose events stand in the gate, each once. */
function producersIn(atoms: readonly PlacedAtom[], { pipeline }: Proof): string[] {
  const ids = atoms.flatMap(({ atom }) => (atom.kind === 'event' ? [producerOf(atom.type)] : []))
  return [...new Set(ids)].filter((id) => pipeline.nodes.has(id))
}
