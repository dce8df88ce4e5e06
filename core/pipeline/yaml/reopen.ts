import type { OpenDocument } from './document'
import { openDocument } from './document'
import { isRecord, type Result } from '@/core/pipeline/json'
import { readYaml, type YamlIssue } from './yaml'
import { keepsBlankLines, leavesOf, makeEntry, partText, takeApart, type Block, type Entry } from './parts'

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
 * Opens the text that a document has become by one edit. What stands outside of the members that were edited is not read again, and
 * keeps its identity: in a text of thousands of nodes a letter costs what its field holds, and a move that is undone the places
 * between the first and the last node that it moved. Answers what `openDocument` would.
 */
export function reopenDocument(document: OpenDocument, edit: TextEdit): Result<OpenDocument, YamlIssue[]> {
  const { text, source } = document
  const next = text.slice(0, edit.at) + edit.inserted + text.slice(edit.at + edit.removed.length)
  const reopened = next.length <= maxLength && source.kind === 'yaml' ? inMembers(document, next, edit) : null
  if (reopened !== null) return { ok: true, value: reopened }
  // JSON is read fast, and whole.
  return openDocument(next, source.kind === 'json' ? document.value : undefined)
}

/** Null: the edit is not within some members of one block, or what it made are no such members any more. */
function inMembers(document: OpenDocument, next: string, edit: TextEdit): OpenDocument | null {
  const { source } = document
  if (source.kind !== 'yaml' || source.entangled || source.root.kind === 'leaf') return null
  // An end of line of another kind changes how all of them are written.
  if (source.eol !== '\n' || edit.inserted.includes('\r')) return null
  // What stands at the end of a text without an end of line is read as if it had one.
  if (source.bare && edit.at + edit.removed.length >= document.text.length) return null
  const root = reopened(source.root, source.head.length, edit)
  return root === null ? null : { text: next, value: root.value, source: { ...source, root } }
}

/** The block, which begins at `from`, after an edit within it: of its members as few are read again as can be. */
function reopened(block: Block, from: number, edit: TextEdit): Block | null {
  const run = runAround(block, from, edit)
  if (run === null) return null
  const { first, end, start } = run
  const only = end - first === 1 ? block.entries[first] : undefined
  if (only !== undefined && only.part.kind !== 'leaf') {
    const part = reopened(only.part, start + only.text.length - partText(only.part).length, edit)
    if (part !== null) return withMembers(block, first, end, [makeEntry({ ...only, part })])
  }
  const old = block.entries.slice(first, end)
  const text = old.map((entry) => entry.text).join('')
  const at = edit.at - start
  const entries = readMembers(text.slice(0, at) + edit.inserted + text.slice(at + edit.removed.length), block)
  return entries === null ? null : withMembers(block, first, end, entries)
}

type Run = { readonly first: number; readonly end: number; readonly start: number }

/**
 * The members in whose text an edit lies, from `first` to before `end`. What leads to the first of them (a dash, a key, what stands
 * above it) and the end of the last are where members meet: where those are touched, so is the neighbour.
 */
function runAround({ entries }: Block, from: number, { at, removed }: TextEdit): Run | null {
  const until = at + removed.length
  let first = -1
  let start = from
  let before = from
  let here = from
  for (const [index, { text, before: above, lead }] of entries.entries()) {
    const begins = here
    here += text.length
    if (first < 0) {
      if (at >= here) {
        before = begins
        continue
      }
      const within = at > begins + above.length + lead.length
      if (!within && index === 0) return null
      first = within ? index : index - 1
      start = within ? begins : before
    }
    if (until < here) return { first, end: index + 1, start }
  }
  return null
}

/** A text that is members of a block, and stands for itself: nothing in it reaches beyond. */
function readMembers(text: string, { kind, indent }: Block): readonly Entry[] | null {
  if (marker.test(text)) return null
  const read = readYaml(text)
  if (!read.ok) return null
  const block = takeApart(text, read.value.document, read.value.value, 0)
  if (block.kind !== kind || block.indent !== indent || block.tail !== '' || !isPlain(block)) return null
  for (const leaf of leavesOf(block))
    if (leaf.anchors.length > 0 || leaf.aliases.length > 0 || keepsBlankLines(leaf.text)) return null
  return block.entries
}

/** Whether its keys are words, as they stand; others (`: x`, `~: x`) are called otherwise in JSON. */
function isPlain({ kind, entries, value }: Block): boolean {
  return kind === 'list' || (isRecord(value) && entries.every(({ key }) => Object.hasOwn(value, key ?? '')))
}

/** The block with other members in the place of some; null where two would have one name. */
function withMembers(block: Block, first: number, end: number, fresh: readonly Entry[]): Block | null {
  const entries = block.entries.toSpliced(first, end - first, ...fresh)
  const values = fresh.map(({ part }) => part.value)
  if (block.kind === 'list') {
    if (!Array.isArray(block.value)) return null
    return { ...block, entries, value: (block.value as unknown[]).toSpliced(first, end - first, ...values) }
  }
  if (!isPlain(block)) return null
  const members = entries.map(({ key, part }) => [key ?? '', part.value] as const)
  if (new Set(members.map(([key]) => key)).size < members.length) return null
  return { ...block, entries, value: Object.fromEntries(members) }
}
