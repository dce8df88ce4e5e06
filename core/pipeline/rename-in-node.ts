import { renameNode } from './edit-start-when'
import type { SyntaxIssue } from './expression'
import { renameRead } from './expression-rename'
import { isRecord, type Result } from './json'
import { splitTemplate } from './template'

/** What of a node is a name or a text for people, and never read as an expression. */
const plain: ReadonlySet<string> = new Set(['id', 'name', 'description', 'task', 'pipeline', 'phase'])

/**
 * The node with every mention of another node by another id: the events and conditions of its gate, and what its expressions read.
 * Texts that cannot be read stay as they are. An issue where the new id would mean something else.
 */
export function renameInNode(
  node: Readonly<Record<string, unknown>>,
  from: string,
  to: string,
): Result<Record<string, unknown>, SyntaxIssue> {
  const entries: [string, unknown][] = []
  for (const [field, value] of Object.entries(node)) {
    const renamed = plain.has(field)
      ? { ok: true as const, value }
      : field === 'startWhen' && typeof value === 'string'
        ? gateWith(value, from, to)
        : valueWith(value, from, to)
    if (!renamed.ok) return renamed
    entries.push([field, renamed.value])
  }
  return { ok: true, value: Object.fromEntries(entries) }
}

function gateWith(text: string, from: string, to: string): Result<string, SyntaxIssue> {
  if (!text.includes(from)) return { ok: true, value: text }
  const renamed = renameNode(text, from, to)
  return renamed.ok ? { ok: true, value: renamed.value ?? text } : keptWhereUnreadable(text, renamed.error)
}

/** A mistake that its author has to mend is no reason to refuse: the text is taken as it is. */
function keptWhereUnreadable(text: string, issue: SyntaxIssue): Result<string, SyntaxIssue> {
  return issue.position === undefined ? { ok: false, error: issue } : { ok: true, value: text }
}

function valueWith(value: unknown, from: string, to: string): Result<unknown, SyntaxIssue> {
  if (typeof value === 'string') return textWith(value, from, to)
  if (Array.isArray(value)) {
    const members: unknown[] = []
    for (const member of value) {
      const renamed = valueWith(member, from, to)
      if (!renamed.ok) return renamed
      members.push(renamed.value)
    }
    return { ok: true, value: members }
  }
  if (!isRecord(value)) return { ok: true, value }
  const entries: [string, unknown][] = []
  for (const [key, member] of Object.entries(value)) {
    const renamed = valueWith(member, from, to)
    if (!renamed.ok) return renamed
    entries.push([key, renamed.value])
  }
  return { ok: true, value: Object.fromEntries(entries) }
}

function textWith(text: string, from: string, to: string): Result<string, SyntaxIssue> {
  if (!text.includes('{{') || !text.includes(from)) return { ok: true, value: text }
  const segments = splitTemplate(text)
  if (!segments.ok) return { ok: true, value: text }
  let whole = ''
  for (const segment of segments.value) {
    if (segment.kind === 'text') {
      whole += segment.text
      continue
    }
    const renamed = renameRead(segment.source, from, to)
    const source = renamed.ok ? renamed : keptWhereUnreadable(segment.source, renamed.error)
    if (!source.ok) return source
    whole += `{{${source.value}}}`
  }
  return { ok: true, value: whole }
}
