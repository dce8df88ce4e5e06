import { eventTypeOf, producerOf } from '@/core/pipeline/gate/event-type'
import { isCertain } from '@/core/pipeline/expression/certain-reads'
import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { removeEvent } from '@/core/pipeline/gate/edit'
import type { Expression } from '@/core/pipeline/expression/expression'
import { ends, endsMaking, failures } from './outcomes'
import { exampleOf, isScenario, describeExample, type Problem } from './problem'
import { failureEvent, type Proof } from './proof'
import { parseStartWhen, type PlacedAtom, type StartWhen } from '@/core/pipeline/gate/start-when'
import { templateExpressions, type Template } from '@/core/pipeline/expression/template'

/** What goes wrong on some path on which the node starts, or does not start. Finally nodes come after all paths. */
export function provePaths(node: CompiledNode, read: ReadGate, proof: Proof): Problem[] {
  if (node.finally) return []
  const types = node.awaited
  return [
    ...proveApprovals(node, types, proof),
    ...proveHandlers(node, types, proof),
    ...proveReads(node, read.expressions, types, proof),
  ]
}

/** A node that waits for an approval and can start without it. */
function proveApprovals(node: CompiledNode, types: ReadonlySet<string>, proof: Proof): Problem[] {
  const approvals = new Set<string>()
  for (const type of types) {
    const id = producerOf(type)
    if (/\.(approved|completed)$/.test(type) && proof.pipeline.nodes.get(id)?.kind === 'approval')
      approvals.add(id)
  }
  return [...approvals].flatMap((id): Problem[] => {
    const { certain } = proof
    const without = certain.ends(id, ~ends.completed)
    const scenario = certain.find([without, certain.starts(node.id)], failuresNamed(types))
    if (!isScenario(scenario)) return []
    const counterExample = exampleOf(scenario, [id])
    const problem: Problem = {
      path: proof.pathOf(node, 'startWhen'),
      code: 'bypassed_approval',
      message: `'${node.id}' can start without the approval of '${id}': when ${describeExample(counterExample)}`,
      hint: `join event:${id}.approved with && to what else startWhen names`,
      severity: 'warning',
      counterExample,
    }
    const value = guarded(node, id, proof)
    return [value === null ? problem : { ...problem, fix: { path: problem.path, value } }]
  })
}

/** The gate without the approval's other ends, and with `&&` for `||` where events are left: if that cannot be bypassed. */
function guarded(node: CompiledNode, id: string, { certain, possible }: Proof): string | null {
  let text: string | null = node.definition.startWhen
  for (const { atom, negated } of node.gateAtoms) {
    if (text === null || atom.kind !== 'event' || negated || producerOf(atom.type) !== id) continue
    if (/\.(approved|completed)$/.test(atom.type)) continue
    const edited = removeEvent(text, atom.type)
    text = edited.ok ? edited.value : null
  }
  if (text === null) return null
  const parsed = parseStartWhen(text)
  if (!parsed.ok) return null
  const { value } = parsed
  const events = value.kind === 'or' ? value.terms.filter((term) => term.kind === 'event') : []
  const gate =
    value.kind === 'or' && events.length === value.terms.length
      ? { kind: 'and' as const, terms: events }
      : value
  const safe = certain.find([certain.ends(id, ~ends.completed), certain.holds(gate, node)]) === null
  if (!safe || !isScenario(possible.find([possible.holds(gate, node)]))) return null
  return gate === value ? text : events.map(({ type }) => `event:${type}`).join(' && ')
}

/** Nodes whose failure starts this one: under `failFast` they may fail, and it still starts. */
function failuresNamed(types: ReadonlySet<string>): string[] {
  return [...types].filter((type) => failureEvent.test(type)).map(producerOf)
}

/** A node that waits for the failure of another, which is skipped when what stands before it fails. */
function proveHandlers(node: CompiledNode, types: ReadonlySet<string>, proof: Proof): Problem[] {
  const named = [...types].filter((type) => eventTypeOf(type).word === 'failed').map(producerOf)
  if (named.length === 0) return []
  const { certain } = proof
  return named.flatMap((id): Problem[] => {
    for (const before of proof.unhandledBefore(id)) {
      const claims = [
        certain.ends(before, failures),
        certain.ends(id, ends.skipped),
        certain.ends(node.id, ends.skipped),
      ]
      const scenario = certain.find(claims, [before])
      if (!isScenario(scenario)) continue
      const counterExample = exampleOf(scenario, [before, id, node.id])
      return [
        {
          path: proof.pathOf(node, 'startWhen'),
          code: 'unreached_handler',
          message: `'${node.id}' is skipped too when '${before}' fails: '${id}' is then skipped, and has not failed`,
          hint: `add || event:${before}.failed, or || event:${id}.skipped, if it is to start then`,
          severity: 'info',
          counterExample,
        },
      ]
    }
    return []
  })
}

/** A variable of a node that need not have made it when this one starts. One that nothing waits for is validation's. */
function proveReads(
  node: CompiledNode,
  expressions: readonly Placed[],
  types: ReadonlySet<string>,
  proof: Proof,
): Problem[] {
  const { pipeline } = proof
  const problems: Problem[] = []
  const seen = new Set<string>()
  for (const { path, expression } of expressions) {
    if (!isCertain(expression)) continue
    for (const { root, name, variable } of expression.reads) {
      const producer = pipeline.nodes.get(root)
      if (producer === undefined || producer.finally || seen.has(name)) continue
      seen.add(name)
      const there = endsMaking(producer, variable)
      if (isNeeded(node, root, there) || !proof.waitsFor(node.id, root)) continue
      const problem = missingVariable(node, { path, name, root, there }, types, proof)
      if (problem !== null) problems.push(problem)
    }
  }
  return problems
}

function missingVariable(
  node: CompiledNode,
  { path, name, root, there }: { path: Placed['path']; name: string; root: string; there: number },
  types: ReadonlySet<string>,
  { certain, pathOf }: Proof,
): Problem | null {
  const claims = [certain.ends(root, ~there), certain.starts(node.id)]
  const scenario = certain.find(claims, [root, ...failuresNamed(types)])
  if (!isScenario(scenario)) return null
  const counterExample = exampleOf(scenario, [root])
  return {
    path: pathOf(node, ...path),
    code: 'may_be_missing',
    message: `'${name}' may be missing: '${node.id}' starts also when ${describeExample(counterExample)}`,
    hint: `wait for event:${root}.${(there & ends.completed) === 0 ? 'failed' : 'completed'}, or ask has(${name})`,
    severity: 'warning',
    counterExample,
  }
}

/** Whether the gate alone shows that the variable is there: most nodes wait for what they read by name. */
function isNeeded(node: CompiledNode, id: string, there: number): boolean {
  const names = (there & ends.completed) === 0 ? ['failed', 'rejected', 'timeout'] : ['completed', 'approved']
  const needed = neededBy(node)
  return names.some((name) => needed.has(`${id}.${name}`))
}

const neededTypes = new WeakMap<StartWhen, ReadonlySet<string>>()

/** The events without which the gate is not true, found without a search. */
function neededBy({ gate }: CompiledNode): ReadonlySet<string> {
  const known = neededTypes.get(gate)
  if (known !== undefined) return known
  const terms = gate.kind === 'and' ? gate.terms : [gate]
  const types = new Set(terms.flatMap((term) => (term.kind === 'event' ? [term.type] : [])))
  neededTypes.set(gate, types)
  return types
}

type Placed = { path: (string | number)[]; expression: Expression }

/** What of a node is looked at more than once. */
export type ReadGate = {
  atoms: readonly PlacedAtom[]
  /**
   * Everything that is evaluated when the node starts or runs. Its own conditions are not: what they read decides whether it
   * starts.
   */
  expressions: readonly Placed[]
}

/** The atoms and expressions of a node. */
export function readGate(node: CompiledNode): ReadGate {
  const expressions: Placed[] = []
  const add = (path: Placed['path'], template: Template) => {
    for (const expression of templateExpressions(template)) expressions.push({ path, expression })
  }
  if (node.bindings.kind === 'map')
    for (const [name, template] of node.bindings.entries) add(['inputBindings', name], template)
  if (node.forEach !== null) add(['forEach', 'items'], node.forEach.items)
  for (const [name, template] of node.outputVariables ?? []) add(['outputVariables', name], template)
  return { atoms: node.gateAtoms, expressions }
}
