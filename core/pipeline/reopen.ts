import type { OpenDocument } from './document'
import { openDocument } from './document'
import { isRecord, type Result } from './json'
import { readYaml, type YamlIssue } from './yaml'
import {
  keepsBlankLines,
  leavesOf,
  makeEntry,
  partText,
  takeApart,
  type Block,
  type Entry,
} from './yaml-parts'

/** At `at` (characters from the start) stood `removed`, and stands `inserted`. */
type TextEdit = { readonly at: number; readonly removed: string; readonly inserted: string }

/**
 * Longest text of which only a part is read. Such a text has fewer words than `readYaml` takes, by far, unless it was made to have
 * more; a longer one is read whole, so that it is refused here as everywhere.
 */
const maxLength = 400_000
/** A document ends here, or the next begins. */
const marker = /^(?:---|\.\.\.|%)/m

/**
 * Opens the text that a document has become by one edit. What stands outside of the node that was edited is not read again, and keeps
 * its identity: in a text of thousands of nodes a letter costs what its node holds. Answers what `openDocument` would.
 */
export function reopenDocument(document: OpenDocument, edit: TextEdit): Result<OpenDocument, YamlIssue[]> {
  const { text, source } = document
  const next = text.slice(0, edit.at) + edit.inserted + text.slice(edit.at + edit.removed.length)
  const reopened =
    next.length <= maxLength && source.kind === 'yaml' ? inOneMember(document, next, edit) : null
  return reopened === null ? openDocument(next) : { ok: true, value: reopened }
}

/** Null: the edit is not within one member of one list, or what it made is no such member any more. */
function inOneMember(document: OpenDocument, next: string, edit: TextEdit): OpenDocument | null {
  const { source, value } = document
  if (source.kind !== 'yaml' || source.entangled || !isRecord(value)) return null
  // An end of line of another kind changes how all of them are written.
  if (source.eol !== '\n' || edit.inserted.includes('\r')) return null
  const { root, head } = source
  if (root.kind !== 'map') return null
  const outer = entryAround(root, head.length, edit)
  const { part: list, key } = outer?.entry ?? {}
  if (outer === null || list?.kind !== 'list' || typeof key !== 'string' || !Array.isArray(value[key]))
    return null
  const listAt = outer.start + outer.entry.text.length - partText(list).length
  const inner = entryAround(list, listAt, edit)
  if (inner === null) return null
  const { entry, start } = inner
  const at = edit.at - start
  // The dash and what stands above it, and the end of the last line, are where members meet.
  const dashEnd = entry.before.length + entry.lead.length
  if (at <= dashEnd || at + edit.removed.length >= entry.text.length) return null
  const text = entry.text.slice(0, at) + edit.inserted + entry.text.slice(at + edit.removed.length)
  const member = readMember(text, list.indent)
  if (member === null) return null
  const members: unknown[] = value[key].with(inner.index, member.value)
  const part: Block = { ...list, entries: list.entries.with(inner.index, member.entry), value: members }
  const whole = { ...value, [key]: members }
  const entries = root.entries.with(outer.index, makeEntry({ ...outer.entry, part }))
  return { text: next, value: whole, source: { ...source, root: { ...root, entries, value: whole } } }
}

/** The entry of a block in whose text an edit lies. */
function entryAround(
  block: Block,
  from: number,
  { at, removed }: TextEdit,
): { readonly entry: Entry; readonly index: number; readonly start: number } | null {
  let start = from
  for (const [index, entry] of block.entries.entries()) {
    if (at < start) return null
    if (at + removed.length <= start + entry.text.length && at < start + entry.text.length)
      return { entry, index, start }
    start += entry.text.length
  }
  return null
}

/** A text that is one member of a list at `indent`, and stands for itself: nothing in it reaches beyond. */
function readMember(text: string, indent: number): { readonly entry: Entry; readonly value: unknown } | null {
  if (marker.test(text)) return null
  const read = readYaml(text)
  if (!read.ok || !Array.isArray(read.value.value)) return null
  const list = takeApart(text, read.value.document, read.value.value, 0)
  if (list.kind !== 'list' || list.indent !== indent || list.tail !== '') return null
  const [entry, ...more] = list.entries
  if (entry === undefined || more.length > 0 || entry.text !== text) return null
  for (const leaf of leavesOf(entry.part))
    if (leaf.anchors.length > 0 || leaf.aliases.length > 0 || keepsBlankLines(leaf.text)) return null
  return { entry, value: read.value.value[0] as unknown }
}
