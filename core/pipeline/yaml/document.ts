import { isRecord, type Result } from '@/core/pipeline/json'
import { shareUnchanged, keysOf, matchMembers, sameJson } from '@/core/pipeline/match'
import { ChangeRefused, changePart } from './change'
import { parseJson, readYaml, stringifyYaml, type YamlIssue } from './yaml'
import { keepsBlankLines, leavesOf, partText, takeApart, type Leaf, type Part } from './parts'

/**
 * Editing the text of a definition as an author left it: what the canvas and the forms change is changed, and comments,
 * order of keys, blank lines, quotes, anchors and ends of lines stay as they are wherever nothing changed.
 */

/** A text that stays parsed between edits, so that an edit costs by what it changes and not by the length of the text. */
export type OpenDocument = {
  readonly text: string
  /** What the text says. Read only: the next change is found by comparing with it. */
  readonly value: unknown
  readonly source: Source
}

type Source =
  | { readonly kind: 'json'; readonly indent: string; readonly end: string }
  | {
      readonly kind: 'yaml'
      /** Comments and markers above the first key. */
      readonly head: string
      readonly root: Part
      readonly eol: '\n' | '\r\n'
      /** Whether the text ends without an end of line. */
      readonly bare: boolean
      /** One part may depend on another: anchors, blank lines that are content, directives. */
      readonly entangled: boolean
    }

/**
 * Opens YAML or JSON. Answers what `parseYaml` would: every mistake of a text that cannot be read.
 *
 * @param known what the text may say: as far as it does, the value is that object, so that nobody takes it for another
 */
export function openDocument(text: string, known?: unknown): Result<OpenDocument, YamlIssue[]> {
  const json = openJson(text, known)
  if (json !== null) return json
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const bare = text !== '' && !text.endsWith('\n')
  const whole = bare ? `${text}${eol}` : text
  const read = readYaml(whole)
  if (!read.ok) return read
  const { document } = read.value
  const value = shareUnchanged(known, read.value.value)
  const start = document.contents?.range?.[0] ?? whole.length
  const root = takeApart(whole, document, value, whole.lastIndexOf('\n', start - 1) + 1)
  const head = whole.slice(0, whole.length - partText(root).length)
  const entangled = root.kind === 'leaf' || head.includes('%') || [...leavesOf(root)].some(isEntangled)
  return { ok: true, value: { text, value, source: { kind: 'yaml', head, root, eol, bare, entangled } } }
}

/**
 * A document that was opened elsewhere, by a worker, about the value that is known here: the same object, so that nobody takes it for
 * another. Null: it says something else.
 */
export function aboutValue(document: OpenDocument, value: unknown): OpenDocument | null {
  if (!sameJson(document.value, value)) return null
  const { text, source } = document
  return {
    text,
    value,
    source: source.kind === 'json' ? source : { ...source, root: partAbout(source.root, value) },
  }
}

function partAbout(part: Part, value: unknown): Part {
  if (part.kind === 'leaf') return { ...part, value }
  const members = value as { readonly [key: string]: unknown }
  const entries = part.entries.map((entry, at) => {
    const member = members[part.kind === 'list' ? at : (entry.key ?? '')]
    // What a key without a name says has no name in the value either: it keeps its own.
    return member === undefined ? entry : { ...entry, part: partAbout(entry.part, member) }
  })
  return { ...part, entries, value }
}

function isEntangled(leaf: Leaf): boolean {
  return leaf.anchors.length > 0 || leaf.aliases.length > 0 || keepsBlankLines(leaf.text)
}

function openJson(text: string, known: unknown): Result<OpenDocument, YamlIssue[]> | null {
  const json = text.trimStart().startsWith('{') ? parseJson(text) : null
  if (json === null || !json.ok) return json
  const indent = /^\s*\{\s*\n([ \t]*)/.exec(text)?.[1] ?? ''
  const end = text.endsWith('\n') ? '\n' : ''
  const value = shareUnchanged(known, json.value)
  return { ok: true, value: { text, value, source: { kind: 'json', indent, end } } }
}

/**
 * The document that says `after`, a JSON value, and says it as before wherever nothing changed. Members of lists are
 * matched by their ids, renamed ones by their place (see `matchMembers`). New parts are in the usual style; what cannot
 * be changed in place (an alias, a value under an anchor or with an explicit key) is written anew, and no more than that.
 */
export function changeDocument(document: OpenDocument, after: unknown): OpenDocument {
  const { source, value } = document
  if (sameJson(value, after)) return document
  if (source.kind === 'json') {
    const text = JSON.stringify(inOrder(value, after), null, source.indent) + source.end
    return { text, value: after, source }
  }
  return changeYaml(source, after) ?? writtenAnew(source, after)
}

/**
 * `changeDocument` for a single edit of a text. Text that is not valid is replaced as a whole. Most of the time goes into
 * reading it: who edits again and again keeps an `OpenDocument`.
 */
export function editDocument(text: string, after: unknown): string {
  const opened = openDocument(text)
  return opened.ok ? changeDocument(opened.value, after).text : stringifyYaml(after)
}

type YamlSource = Extract<Source, { kind: 'yaml' }>

function changeYaml(source: YamlSource, after: unknown): OpenDocument | null {
  const { eol } = source
  const gone = new Set<string>()
  for (;;) {
    let root: Part
    try {
      root = changePart(source.root, after, { eol, gone })
    } catch (fault) {
      if (fault instanceof ChangeRefused) return null
      throw fault
    }
    const whole = source.head + partText(root)
    const text = source.bare && whole.endsWith(eol) ? whole.slice(0, -eol.length) : whole
    if (!source.entangled) return { text, value: after, source: { ...source, root } }
    const opened = openDocument(text)
    if (opened.ok && sameJson(opened.value.value, after)) return opened.value
    const more = anchorsGone(source.root, root, gone)
    if (more.length === 0) return null
    for (const name of more) gone.add(name)
  }
}

/**
 * An anchor that changed takes its aliases with it: those are written out. When that is not enough (an alias now stands above its
 * anchor), all are.
 */
function anchorsGone(before: Part, after: Part, known: ReadonlySet<string>): string[] {
  const kept = new Set(leavesOf(after))
  const leaves = [...leavesOf(before)]
  const names = (some: readonly Leaf[]) =>
    some.flatMap(({ anchors }) => anchors.filter((name) => !known.has(name)))
  const changed = names(leaves.filter((leaf) => !kept.has(leaf)))
  return changed.length > 0 ? changed : names(leaves)
}

/** Everything in the usual style, below the comments that the text began with. */
function writtenAnew({ head, eol, bare }: YamlSource, after: unknown): OpenDocument {
  const comments = head.split('\n').filter((line) => /^\s*(?:#|\r?$)/.test(line))
  const text = (comments.join('\n') + stringifyYaml(after)).replace(/\r?\n/g, eol)
  const opened = openDocument(bare ? text.trimEnd() : text)
  if (opened.ok && sameJson(opened.value.value, after)) return opened.value
  return { text: JSON.stringify(after), value: after, source: { kind: 'json', indent: '', end: '' } }
}

/** `after` with its keys in the order in which `before` has them. */
function inOrder(before: unknown, after: unknown): unknown {
  if (before === after) return after
  if (Array.isArray(before) && Array.isArray(after)) {
    const matching = matchMembers(before, after)
    return after.map((member: unknown, at) => {
      const from = matching[at] ?? null
      return from === null ? member : inOrder(before[from], member)
    })
  }
  if (!isRecord(before) || !isRecord(after)) return after
  const wanted = new Set(keysOf(after))
  const keys = new Set([...keysOf(before).filter((key) => wanted.has(key)), ...wanted])
  return Object.fromEntries([...keys].map((key) => [key, inOrder(before[key], after[key])]))
}
