import type { Definition } from '@/components/editor/model/draft/draft'
import { nodesOf, type NodeFields } from '@/components/editor/model/flow'
import { renamedMember } from '@/core/pipeline/json-edits'
import { idPattern, variableNamePattern } from '@/core/pipeline/definition/definition'
import { renameNode, setCondition, type EditedGate } from '@/core/pipeline/gate/edit'
import { parseExpression, type SyntaxIssue } from '@/core/pipeline/expression/expression'
import { renameInput, renameRead } from '@/core/pipeline/expression/rename'
import { gateShape } from '@/core/pipeline/gate/shape'
import { isRecord, type Result } from '@/core/pipeline/json'
import { isReservedId, unreadableNames } from '@/core/pipeline/definition/reserved'
import { splitTemplate } from '@/core/pipeline/expression/template'
import { taskCatalog } from '@/tasks/contracts'

/** Renames that take along everyone who says the name. Pure; what cannot be read keeps its text, and its problem. */

type Rename = (source: string) => Result<string, SyntaxIssue>

class RenameRefused extends Error {}

/** Another id for a node: in start conditions, in expressions and in the layout too. An error says why it cannot be. */
export function withNodeRenamed(
  definition: Definition,
  from: string,
  to: string,
): Result<Definition, string> {
  if (from === to) return { ok: true, value: definition }
  if (!idPattern.test(to))
    return {
      ok: false,
      error:
        'An id has lowercase letters, digits and underscores, starts with a letter, and has at most 63 characters.',
    }
  if (isReservedId(to)) return { ok: false, error: `'${to}' is a reserved word. Choose another id.` }
  if (nodesOf(definition).some(({ id }) => id === to))
    return { ok: false, error: `A node '${to}' already exists.` }
  return attempt(() => {
    const next = rewritten(definition, { ...mentions(from, to), id: (id) => (id === from ? to : id) })
    const { layout, rehearsals } = next
    return {
      ...next,
      ...(isRecord(layout) ? { layout: renamedMember(layout, from, to) } : {}),
      ...(Array.isArray(rehearsals)
        ? { rehearsals: rehearsals.map((one) => inRehearsal(one, from, to)) }
        : {}),
    }
  })
}

/** A case names nodes by their ids alone. */
function inRehearsal(value: unknown, from: string, to: string): unknown {
  const named = (each: unknown) =>
    isRecord(each) && Object.hasOwn(each, from) ? renamedMember(each, from, to) : each
  const inside = (fields: readonly string[]) => (each: unknown) =>
    isRecord(each) ? mapped(each, (member, field) => (fields.includes(field) ? named(member) : member)) : each
  return inField(
    inField(value, 'plan', inside(['nodes', 'approvals', 'history'])),
    'expect',
    inside(['nodes']),
  )
}

/** A node with every mention of another node by another id: in its start condition and its expressions. */
export const withMentionsRenamed = (node: NodeFields, from: string, to: string): Result<NodeFields, string> =>
  attempt(() => inNode(node, { ...mentions(from, to), id: (id) => id }) as NodeFields)

/** Another name for an input of the pipeline, in every expression that reads it too. */
export function withInputRenamed(
  definition: Definition,
  from: string,
  to: string,
): Result<Definition, string> {
  const { inputs } = definition
  if (from === to || !isRecord(inputs)) return { ok: true, value: definition }
  if (!variableNamePattern.test(to) || unreadableNames.has(to))
    return { ok: false, error: 'A name has letters, digits and underscores, and starts with a letter.' }
  if (Object.hasOwn(inputs, to)) return { ok: false, error: `An input '${to}' already exists.` }
  const source: Rename = (text) => renameInput(text, from, to)
  return attempt(() => ({
    ...rewritten(definition, { source, gate: (gate) => conditionsRenamed(gate, source), id: (id) => id }),
    inputs: renamedMember(inputs, from, to),
  }))
}

const mentions = (from: string, to: string): Pick<Renames, 'source' | 'gate'> => ({
  source: (source) => renameRead(source, from, to),
  gate: (gate) => renameNode(gate, from, to),
})

function attempt<T>(change: () => T): Result<T, string> {
  try {
    return { ok: true, value: change() }
  } catch (fault) {
    if (fault instanceof RenameRefused) return { ok: false, error: fault.message }
    throw fault
  }
}

type Renames = {
  readonly source: Rename
  readonly gate: (gate: string) => EditedGate
  readonly id: (id: string) => string
}

function rewritten(definition: Definition, renames: Renames): Definition {
  const template = (value: unknown) => inTemplate(value, renames.source)
  const { nodes, outputs, verify } = definition
  return {
    ...definition,
    ...(Array.isArray(nodes) ? { nodes: nodes.map((node) => inNode(node, renames)) } : {}),
    ...(isRecord(outputs)
      ? { outputs: mapped(outputs, (output) => inField(output, 'value', template)) }
      : {}),
    ...(Array.isArray(verify) ? { verify: verify.map((check) => inField(check, 'check', template)) } : {}),
  }
}

function inNode(node: unknown, { source, gate, id }: Renames): unknown {
  if (!isRecord(node)) return node
  const template = (value: unknown) => inTemplate(value, source)
  const verbatim = taskCatalog.get(typeof node['task'] === 'string' ? node['task'] : '')?.literalInputs ?? []
  const changes: { readonly [field: string]: (value: unknown) => unknown } = {
    id: (value) => (typeof value === 'string' ? id(value) : value),
    startWhen: (value) => (typeof value === 'string' ? inGate(value, gate) : value),
    inputBindings: (value) =>
      isRecord(value)
        ? mapped(value, (each, name) => (verbatim.includes(name) ? each : template(each)))
        : value,
    outputVariables: template,
    forEach: (value) => inField(value, 'items', template),
    retry: (value) => inField(value, 'when', template),
    rollback: (value) => inField(value, 'inputBindings', template),
  }
  return mapped(node, (value, name) => (Object.hasOwn(changes, name) ? changes[name]!(value) : value))
}

/** The same object where nothing in it changed, so that unchanged text is not written again. */
function mapped(
  members: { readonly [name: string]: unknown },
  change: (value: unknown, name: string) => unknown,
): { readonly [name: string]: unknown } {
  const entries = Object.entries(members)
  const next = entries.map(([name, value]) => [name, change(value, name)] as const)
  return next.every(([, value], at) => value === entries[at]?.[1]) ? members : Object.fromEntries(next)
}

function inField(value: unknown, field: string, change: (value: unknown) => unknown): unknown {
  return isRecord(value) ? mapped(value, (each, name) => (name === field ? change(each) : each)) : value
}

function inTemplate(value: unknown, rename: Rename): unknown {
  if (typeof value === 'string') return inText(value, rename)
  if (Array.isArray(value)) {
    const next = value.map((each: unknown) => inTemplate(each, rename))
    return next.every((each, at) => each === value[at]) ? value : next
  }
  return isRecord(value) ? mapped(value, (each) => inTemplate(each, rename)) : value
}

function inText(text: string, rename: Rename): string {
  const segments = splitTemplate(text)
  if (!segments.ok) return text
  let result = text
  for (const segment of segments.value.toReversed()) {
    if (segment.kind === 'text') continue
    const { source, start } = segment
    const next = nameIn(source, rename)
    result = result.slice(0, start) + next + result.slice(start + source.length)
  }
  return result
}

/** The spaces around an expression stay. What does not parse has a problem of its own; what would mean something else is not written. */
function nameIn(source: string, rename: Rename): string {
  const trimmed = source.trim()
  if (!parseExpression(trimmed).ok) return source
  const next = rename(trimmed)
  if (!next.ok) throw new RenameRefused(`In {{ ${trimmed} }}: ${textOf(next.error)}`)
  return source.replace(trimmed, () => next.value)
}

function inGate(gate: string, edit: (gate: string) => EditedGate): string {
  if (!gateShape(gate).ok) return gate
  const next = edit(gate)
  if (!next.ok) throw new RenameRefused(textOf(next.error))
  return next.value ?? gate
}

function conditionsRenamed(gate: string, rename: Rename): EditedGate {
  const shape = gateShape(gate)
  if (!shape.ok) return shape
  let text = gate
  for (const [at, { source }] of shape.value.conditions.entries()) {
    const next = rename(source)
    if (!next.ok) return next
    if (next.value === source) continue
    const edited = setCondition(text, at, next.value)
    if (!edited.ok || edited.value === null) return edited
    text = edited.value
  }
  return { ok: true, value: text }
}

const textOf = ({ message, hint }: SyntaxIssue): string =>
  hint === undefined ? message : `${message}: ${hint}`
