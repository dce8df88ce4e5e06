import type { NodeDefinition } from './definition'
import { parseDuration } from './duration'
import type { Expression, Reference, SyntaxIssue } from './expression'
import { append, type Issue } from './issue'
import { gateAtoms, gateEvents, parseStartWhen, type StartWhen } from './start-when'
import type { TaskDescription } from './task-description'
import { compileTemplate, templateExpressions, type Template } from './template'

/** A node's texts, parsed. What could not be parsed is absent and told by an issue with a path inside the node. */
export type NodeParts = {
  gate: StartWhen | null
  gateEvents: readonly string[]
  /** Expressions of the gate's conditions. */
  conditions: readonly Expression[]
  bindings: Template | null
  outputVariables: ReadonlyMap<string, Template> | null
  timeoutMs: number | null
  startTimeoutMs: number | null
  estimateMs: number | null
  issues: Issue[]
}

/** An issue of an expression, at its place in the document; the position is told in the message. */
export function syntaxIssue(issue: SyntaxIssue, path: (string | number)[]): Issue {
  const place = issue.position === undefined ? '' : ` (at character ${issue.position + 1})`
  const found: Issue = {
    path,
    code: 'invalid_expression',
    message: `${issue.message}${place}`,
    severity: 'error',
  }
  if (issue.hint !== undefined) found.hint = issue.hint
  return found
}

const emptyMap: Template = { kind: 'map', entries: new Map() }

/** Bindings of a node: inputs that the task takes verbatim are literals whatever stands in them. */
function compileBindings(
  bindings: Readonly<Record<string, unknown>>,
  contract: TaskDescription | undefined,
  issues: Issue[],
): Template {
  const verbatim = new Set(contract?.literalInputs ?? [])
  const entries = new Map<string, Template>()
  for (const [key, value] of Object.entries(bindings)) {
    if (verbatim.has(key)) {
      entries.set(key, { kind: 'literal', value })
      continue
    }
    const compiled = compileTemplate(value)
    if (compiled.ok) entries.set(key, compiled.value)
    else
      append(
        issues,
        compiled.error.map((e) => syntaxIssue(e, ['inputBindings', key, ...e.path])),
      )
  }
  return { kind: 'map', entries }
}

/** Parses everything in a node that has a syntax of its own. Takes nodes of which parts are missing. */
export function readNode(node: Partial<NodeDefinition>, contract: TaskDescription | undefined): NodeParts {
  const issues: Issue[] = []
  const duration = (field: 'timeout' | 'startTimeout' | 'estimate'): number | null => {
    const text = node[field]
    if (text === undefined) return null
    const ms = parseDuration(text)
    if (ms === null) {
      issues.push({
        path: [field],
        code: 'invalid_duration',
        message: `'${text}' is not a duration`,
        hint: 'write 250ms, 30s, 5m, 2h, 1d or PT30S',
        severity: 'error',
      })
    }
    return ms
  }
  const parsed = node.startWhen === undefined ? null : parseStartWhen(node.startWhen)
  if (parsed && !parsed.ok) issues.push(syntaxIssue(parsed.error, ['startWhen']))
  const gate = parsed?.ok ? parsed.value : null
  const bindings =
    node.inputBindings === undefined ? emptyMap : compileBindings(node.inputBindings, contract, issues)
  let outputVariables: Map<string, Template> | null = null
  if (node.outputVariables !== undefined) {
    outputVariables = new Map()
    for (const [name, value] of Object.entries(node.outputVariables)) {
      const compiled = compileTemplate(value)
      if (compiled.ok) outputVariables.set(name, compiled.value)
      else
        append(
          issues,
          compiled.error.map((e) => syntaxIssue(e, ['outputVariables', name, ...e.path])),
        )
    }
  }
  return {
    gate,
    gateEvents: gate === null ? [] : gateEvents(gate),
    conditions: gate === null ? [] : conditionsOf(gate),
    bindings,
    outputVariables,
    timeoutMs: duration('timeout'),
    startTimeoutMs: duration('startTimeout'),
    estimateMs: duration('estimate'),
    issues,
  }
}

function conditionsOf(gate: StartWhen): Expression[] {
  return gateAtoms(gate).flatMap(({ atom }) => (atom.kind === 'condition' ? [atom.expression] : []))
}

/** Every variable that a node's gate, bindings and outputs may read. */
export function readsOf(parts: NodeParts): Reference[] {
  const expressions = [...parts.conditions]
  if (parts.bindings) templateExpressions(parts.bindings, expressions)
  for (const template of parts.outputVariables?.values() ?? []) templateExpressions(template, expressions)
  return expressions.flatMap(({ reads }) => reads)
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
