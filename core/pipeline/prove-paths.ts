import { isCertain } from './certain-reads'
import type { CompiledNode } from './compile'
import { removeEvent } from './edit-start-when'
import type { Expression } from './expression'
import { ends, failures } from './outcomes'
import { exampleOf, isWorld, told, type Problem } from './problem'
import { failureEvent, type Proof } from './proof'
import { errorVariable } from './reserved'
import { gateAtoms, parseStartWhen, producerOf } from './start-when'
import { templateExpressions } from './template'

/** What goes wrong on some path on which the node starts, or does not start. Finally nodes come after all paths. */
export function provePaths(node: CompiledNode, proof: Proof): Problem[] {
  if (node.finally) return []
  const types = gateAtoms(node.gate).flatMap(({ atom, negated }) =>
    atom.kind === 'event' && !negated ? [atom.type] : [],
  )
  return [
    ...proveApprovals(node, new Set(types), proof),
    ...proveHandlers(node, new Set(types), proof),
    ...proveReads(node, proof),
  ]
}

/** A node that waits for an approval and can start without it. */
function proveApprovals(node: CompiledNode, types: ReadonlySet<string>, proof: Proof): Problem[] {
  const approvals = new Set([...types].filter((type) => /\.(approved|completed)$/.test(type)).map(producerOf))
  return [...approvals].flatMap((id): Problem[] => {
    if (proof.pipeline.nodes.get(id)?.kind !== 'approval') return []
    const { certain } = proof
    const without = certain.ends(id, ~ends.completed)
    const world = certain.find([without, certain.starts(node.id)], failuresNamed(types))
    if (!isWorld(world)) return []
    const counterExample = exampleOf(world, [id])
    const problem: Problem = {
      path: proof.pathOf(node, 'startWhen'),
      code: 'bypassed_approval',
      message: `'${node.id}' can start without the approval of '${id}': when ${told(counterExample)}`,
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
  for (const { atom, negated } of gateAtoms(node.gate)) {
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
  if (!safe || !isWorld(possible.find([possible.holds(gate, node)]))) return null
  return gate === value ? text : events.map(({ type }) => `event:${type}`).join(' && ')
}

/** Nodes whose failure starts this one: under `failFast` they may fail, and it still starts. */
function failuresNamed(types: ReadonlySet<string>): string[] {
  return [...types].filter((type) => failureEvent.test(type)).map(producerOf)
}

/** A node that waits for the failure of another, which is skipped when what stands before it fails. */
function proveHandlers(node: CompiledNode, types: ReadonlySet<string>, proof: Proof): Problem[] {
  const { certain, pipeline, handlers } = proof
  return [...new Set(failuresNamed(types))].flatMap((id): Problem[] => {
    const watched = pipeline.nodes.get(id)
    if (watched === undefined) return []
    for (const { atom, negated } of gateAtoms(watched.gate)) {
      if (negated || atom.kind !== 'event') continue
      const before = producerOf(atom.type)
      if (pipeline.nodes.get(before)?.allowFailure !== false || handlers.has(before)) continue
      const claims = [
        certain.ends(before, failures),
        certain.ends(id, ends.skipped),
        certain.ends(node.id, ends.skipped),
      ]
      const world = certain.find(claims, [before])
      if (!isWorld(world)) continue
      const counterExample = exampleOf(world, [before, id, node.id])
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
function proveReads(node: CompiledNode, proof: Proof): Problem[] {
  const { certain, pipeline } = proof
  const seen = new Set<string>()
  return expressionsOf(node).flatMap(({ path, expression }) => {
    if (!isCertain(expression)) return []
    return expression.reads.flatMap(({ root, name, variable }): Problem[] => {
      const producer = pipeline.nodes.get(root)
      if (producer === undefined || producer.finally || seen.has(name)) return []
      seen.add(name)
      const isError = variable === errorVariable && !producer.outputNames.includes(variable)
      const there = isError ? failures : ends.completed
      if (isNeeded(node, root, isError) || !proof.waitsFor(node.id, root)) return []
      const world = certain.find(
        [certain.ends(root, ~there), certain.starts(node.id)],
        [root, ...failuresNamed(new Set(node.gateEvents))],
      )
      if (!isWorld(world)) return []
      const counterExample = exampleOf(world, [root])
      return [
        {
          path: proof.pathOf(node, ...path),
          code: 'may_be_missing',
          message: `'${name}' may be missing: '${node.id}' starts also when ${told(counterExample)}`,
          hint: `wait for event:${root}.${isError ? 'failed' : 'completed'}, or ask has(${name})`,
          severity: 'warning',
          counterExample,
        },
      ]
    })
  })
}

/** Whether one look at the gate tells that the variable is there: most nodes wait for what they read by name. */
function isNeeded({ gate }: CompiledNode, id: string, isError: boolean): boolean {
  const names = isError ? ['failed', 'rejected', 'timeout'] : ['completed', 'approved']
  const terms = gate.kind === 'and' ? gate.terms : [gate]
  return terms.some(
    (term) =>
      term.kind === 'event' && producerOf(term.type) === id && names.includes(term.type.slice(id.length + 1)),
  )
}

type Placed = { path: (string | number)[]; expression: Expression }

/** Everything that is evaluated when the node starts or runs. Its own gate is not: what that reads decides whether it starts. */
export function expressionsOf(node: CompiledNode): Placed[] {
  const placed: Placed[] = []
  const add = (path: Placed['path'], expressions: Expression[]) => {
    for (const expression of expressions) placed.push({ path, expression })
  }
  if (node.bindings.kind === 'map')
    for (const [name, template] of node.bindings.entries)
      add(['inputBindings', name], templateExpressions(template))
  if (node.forEach !== null) add(['forEach', 'items'], templateExpressions(node.forEach.items))
  for (const [name, template] of node.outputVariables ?? [])
    add(['outputVariables', name], templateExpressions(template))
  return placed
}
