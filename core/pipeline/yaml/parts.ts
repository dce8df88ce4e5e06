import { isAlias, isCollection, isMap, isScalar, isSeq, visit, type Document, type Node } from 'yaml'
import { isRecord } from '@/core/pipeline/json'

/**
 * A YAML text taken apart along its block objects and lists, without losing a character: the texts of all parts in their
 * order are the text. Scalars, `[ ]` and `{ }` are leaves, and so is everything that an anchor or a tag stands before.
 *
 * Comments belong to what they stand beside or directly above; those that are indented deeper than what follows belong
 * to what they follow.
 */
export type Entry = {
  /** Null: a member of a list. */
  readonly key: string | null
  /** Blank lines, comments and indentation above; empty for what stands behind a dash. */
  readonly before: string
  /** `key:` as it is written, or `-`. */
  readonly lead: string
  /** Between the lead and the value: a space, or the rest of the line. */
  readonly gap: string
  readonly part: Part
  /** All of it. */
  readonly text: string
}

export type Leaf = {
  readonly kind: 'leaf'
  readonly text: string
  /** The rest of its line with a comment, its end, and comments below. */
  readonly after: string
  readonly value: unknown
  readonly anchors: readonly string[]
  readonly aliases: readonly string[]
}

export type Block = {
  readonly kind: 'map' | 'list'
  readonly indent: number
  readonly entries: readonly Entry[]
  /** Blank lines and comments after the last entry. */
  readonly tail: string
  readonly value: unknown
}

export type Part = Leaf | Block

export function partText(part: Part): string {
  if (part.kind === 'leaf') return part.text + part.after
  return part.entries.map(({ text }) => text).join('') + part.tail
}

export function makeEntry(entry: Omit<Entry, 'text'>): Entry {
  return { ...entry, text: entry.before + entry.lead + entry.gap + partText(entry.part) }
}

/** Blank lines and comments as far as they go. */
const triviaRun = /(?:[ \t\r\n\ufeff]+|#[^\n]*)*/y

/** Where the first character stands that is neither space nor comment. */
export function skipTrivia(text: string, at: number): number {
  triviaRun.lastIndex = at
  triviaRun.test(text)
  return triviaRun.lastIndex
}

const colonAhead = /[ \t]*:/y

/** Written in a way that is not taken apart (`? key`, a tag before a key); it stays whole. */
class NotApart extends Error {}

/** Takes a text apart from `from` on. `document` is the text, parsed without mistakes, and `value` what it says. */
export function takeApart(text: string, document: Document.Parsed, value: unknown, from: number): Part {
  return new Taking(text).whole(document.contents, value, from)
}

class Taking {
  constructor(private readonly text: string) {}

  whole(node: Node | null, value: unknown, from: number): Part {
    const { text } = this
    const begin = node === null ? text.length : skipTrivia(text, from)
    if (isBlock(node) && node.range?.[0] === begin) {
      try {
        return this.block(node, from, text.length, value)
      } catch (fault) {
        if (!(fault instanceof NotApart)) throw fault
      }
    }
    return this.leaf(node, { begin, end: this.deepEnd(node, begin), boundary: text.length }, value)
  }

  private block(node: Node, from: number, to: number, value: unknown): Block {
    const items = isMap(node) ? node.items : isSeq(node) ? node.items : []
    const kind = isMap(node) ? 'map' : 'list'
    const first = skipTrivia(this.text, from)
    const indent = first - (this.text.lastIndexOf('\n', first - 1) + 1)
    const entries: Entry[] = []
    let start = from
    for (let i = 0; i < items.length; i++) {
      const at = skipTrivia(this.text, start)
      const item: unknown = items[i]
      const [key, child, valueAt] = kind === 'map' ? this.mapItem(item, at) : this.listItem(item, at)
      const end = this.deepEnd(child, valueAt)
      const next = i + 1 < items.length ? skipTrivia(this.text, end) : to
      const boundary = this.boundary(end, next, indent)
      entries.push(this.entry(key, { start, at, valueAt, end, boundary }, child, childValue(value, key ?? i)))
      start = boundary
    }
    return { kind, indent, entries, tail: this.text.slice(start, to), value }
  }

  private mapItem(item: unknown, at: number): [string, Node | null, number] {
    const pair = item as { key: unknown; value: Node | null }
    if (!isScalar(pair.key) || pair.key.range?.[0] !== at) throw new NotApart()
    colonAhead.lastIndex = pair.key.range[1]
    if (!colonAhead.test(this.text)) throw new NotApart()
    return [String(pair.key.value), pair.value, colonAhead.lastIndex]
  }

  private listItem(item: unknown, at: number): [null, Node | null, number] {
    if (this.text[at] !== '-') throw new NotApart()
    return [null, item as Node | null, at + 1]
  }

  private entry(
    key: string | null,
    place: { start: number; at: number; valueAt: number; end: number; boundary: number },
    child: Node | null,
    value: unknown,
  ): Entry {
    const { start, at, valueAt, end, boundary } = place
    const { text } = this
    const begin = end === valueAt ? valueAt : skipTrivia(text, valueAt)
    const lineEnd = text.indexOf('\n', valueAt)
    // Below the lead, or behind the dash on the same line.
    const inside = lineEnd >= 0 && lineEnd < begin ? lineEnd + 1 : begin
    let part: Part | null = null
    if (isBlock(child) && child.range?.[0] === begin) {
      try {
        part = this.block(child, inside, boundary, value)
      } catch (fault) {
        if (!(fault instanceof NotApart)) throw fault
      }
    }
    const gapEnd = part === null ? begin : inside
    part ??= this.leaf(child, { begin, end, boundary }, value)
    return {
      key,
      before: text.slice(start, at),
      lead: text.slice(at, valueAt),
      gap: text.slice(valueAt, gapEnd),
      part,
      text: text.slice(start, boundary),
    }
  }

  private leaf(
    node: Node | null,
    { begin, end, boundary }: { begin: number; end: number; boundary: number },
    value: unknown,
  ): Leaf {
    const anchors: string[] = []
    const aliases: string[] = []
    if (node !== null) {
      visit(node, {
        Alias: (_, alias) => void aliases.push(alias.source),
        Value: (_, { anchor }) => void (anchor && anchors.push(anchor)),
      })
    }
    const { text } = this
    return {
      kind: 'leaf',
      text: text.slice(begin, end),
      after: text.slice(end, boundary),
      value,
      anchors,
      aliases,
    }
  }

  /** Where the content of a value ends; `valueAt` when nothing is written. */
  private deepEnd(node: Node | null, valueAt: number): number {
    const range = node?.range
    if (!node || !range) return valueAt
    if (isBlock(node)) {
      const last: unknown = node.items.at(-1)
      if (isMap(node)) {
        const { key, value } = last as { key: Node; value: Node | null }
        if (value) return this.deepEnd(value, value.range?.[0] ?? range[1])
        return key.range?.[1] ?? range[1]
      }
      return this.deepEnd(last as Node | null, (last as Node | null)?.range?.[0] ?? range[1])
    }
    if (isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED')) {
      // Blank lines below are no part of it, unless it says that it keeps them.
      const source = this.text.slice(range[0], range[1])
      return keepsBlankLines(source) ? range[1] : range[0] + source.trimEnd().length
    }
    if (range[0] === range[1]) return isScalar(node) && node.anchor === undefined ? valueAt : range[1]
    return range[1]
  }

  /**
   * Where what belongs to the entry that ends at `end` stops: after its line, and after comments that are indented deeper
   * than the block that it stands in.
   */
  private boundary(end: number, next: number, indent: number): number {
    const { text } = this
    let line = end > 0 && text[end - 1] === '\n' ? end : text.indexOf('\n', end) + 1
    if (line === 0 || line > next) return next
    let boundary = line
    while (line < next) {
      const lineEnd = text.indexOf('\n', line) + 1 || text.length
      const content = skipSpaces(text, line)
      if (text[content] === '#') {
        if (content - line <= indent) break
        boundary = Math.min(lineEnd, next)
      }
      line = lineEnd
    }
    return boundary
  }
}

function skipSpaces(text: string, from: number): number {
  let at = from
  while (text[at] === ' ' || text[at] === '\t') at++
  return at
}

/** `|+` and `>+`. */
export function keepsBlankLines(source: string): boolean {
  return /^[|>]\d?\+/.test(source)
}

/** The leaves of a part in the order of the text. */
export function* leavesOf(part: Part): Generator<Leaf> {
  if (part.kind === 'leaf') yield part
  else for (const entry of part.entries) yield* leavesOf(entry.part)
}

function isBlock(node: unknown): node is Node & { items: unknown[] } {
  return isCollection(node) && !node.flow && node.items.length > 0 && !isAlias(node)
}

function childValue(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) return value[Number(key)] as unknown
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
}
