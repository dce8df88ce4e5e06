import type { NodeDefinition } from './definition'
import { parseDuration } from './duration'
import type { Expression, Reference, SyntaxIssue } from './expression'
import { error, type Issue } from './issue'
import { gateAtoms, parseStartWhen, type PlacedAtom, type StartWhen } from './start-when'
import type { TaskDescription } from './task-description'
import { compileTemplate, templateExpressions, type Template } from './template'

/** A node's texts, parsed. What could not be parsed is absent and told by an issue with a path inside the node. */
export type NodeParts = {
  gate: StartWhen | null
  gateAtoms: readonly PlacedAtom[]
  /** Event types of the gate, each once, in the order of the text. */
  gateEvents: readonly string[]
  /** Expressions of the gate's conditions. */
  conditions: readonly Expression[]
  /** Of kind `map`, one entry for each binding that could be parsed. */
  bindings: Extract<Template, { kind: 'map' }>
  outputVariables: ReadonlyMap<string, Template> | null
  /** Every variable that its gate, bindings and outputs may read. */
  reads: readonly Reference[]
  timeoutMs: number | null
  startTimeoutMs: number | null
  estimateMs: number | null
  issues: Issue[]
}

/** An issue of an expression, at its place in the document; the position is told in the message. */
export function syntaxIssue({ message, hint, position }: SyntaxIssue, path: (string | number)[]): Issue {
  const place = position === undefined ? '' : ` (at character ${position + 1})`
  return error(path, 'invalid_expression', `${message}${place}`, hint)
}

/** Templates by name; members of `verbatim` are literals whatever stands in them. What does not parse is left out. */
function compileEntries(
  field: string,
  values: Readonly<Record<string, unknown>>,
  issues: Issue[],
  verbatim: readonly string[] = [],
): Map<string, Template> {
  const entries = new Map<string, Template>()
  for (const [name, value] of Object.entries(values)) {
    if (verbatim.includes(name)) {
      entries.set(name, { kind: 'literal', value })
      continue
    }
    const compiled = compileTemplate(value)
    if (compiled.ok) entries.set(name, compiled.value)
    else for (const issue of compiled.error) issues.push(syntaxIssue(issue, [field, name, ...issue.path]))
  }
  return entries
}

/** Parses everything in a node that has a syntax of its own. Takes nodes of which parts are missing. */
export function readNode(node: Partial<NodeDefinition>, contract: TaskDescription | undefined): NodeParts {
  const issues: Issue[] = []
  const duration = (field: 'timeout' | 'startTimeout' | 'estimate'): number | null => {
    const text = node[field]
    if (text === undefined) return null
    const ms = parseDuration(text)
    if (ms === null) {
      const hint = 'write 250ms, 30s, 5m, 2h, 1d or PT30S'
      issues.push(error([field], 'invalid_duration', `'${text}' is not a duration`, hint))
    }
    return ms
  }
  const parsed = node.startWhen === undefined ? null : parseStartWhen(node.startWhen)
  if (parsed && !parsed.ok) issues.push(syntaxIssue(parsed.error, ['startWhen']))
  const gate = parsed?.ok ? parsed.value : null
  const bindings: NodeParts['bindings'] = {
    kind: 'map',
    entries: compileEntries('inputBindings', node.inputBindings ?? {}, issues, contract?.literalInputs),
  }
  const outputVariables =
    node.outputVariables === undefined
      ? null
      : compileEntries('outputVariables', node.outputVariables, issues)
  const atoms = gate === null ? [] : gateAtoms(gate)
  const events = new Set<string>()
  const conditions: Expression[] = []
  for (const { atom } of atoms) {
    if (atom.kind === 'event') events.add(atom.type)
    else conditions.push(atom.expression)
  }
  const expressions = [...conditions]
  templateExpressions(bindings, expressions)
  for (const template of outputVariables?.values() ?? []) templateExpressions(template, expressions)
  return {
    gate,
    gateAtoms: atoms,
    gateEvents: [...events],
    conditions,
    bindings,
    outputVariables,
    reads: expressions.flatMap(({ reads }) => reads),
    timeoutMs: duration('timeout'),
    startTimeoutMs: duration('startTimeout'),
    estimateMs: duration('estimate'),
    issues,
  }
}

/** Names of the variables that a node makes, or null when its task is not known. */
export function outputNamesOf(
  node: Partial<NodeDefinition>,
  contract: TaskDescription | undefined,
): readonly string[] | null {
  if (node.outputVariables !== undefined) return Object.keys(node.outputVariables)
  if (contract === undefined) return null
  return contract.openOutputs ? Object.keys(node.inputBindings ?? {}) : Object.keys(contract.output)
}
