import { parseDocument } from 'yaml'
import { isRecord } from '@/core/pipeline/json'
import { keysOf, matchMembers, sameJson } from '@/core/pipeline/match'
import { yamlOptions } from './yaml'
import { editFlow, scalarLike } from './flow'
import { leavesOf, makeEntry, takeApart, type Block, type Entry, type Leaf, type Part } from './parts'
import { documentText, entryLines, keyLead, sections } from './print'

/** Something that cannot be written where it is wanted; the whole text must be written anew. */
export class ChangeRefused extends Error {}

export type ChangeOptions = {
  /** The end of new lines. */
  readonly eol: '\n' | '\r\n'
  /** Anchors that are no longer what they were: their aliases are written out. */
  readonly gone: ReadonlySet<string>
}

/** The order in which fields of a pipeline and a node are usually written. */
const pipelineOrder =
  'schemaVersion id name description labels inputs outputs triggers policy phases verify nodes layout notes rehearsals'
const nodeOrder =
  'id name description task pipeline phase finally startWhen startTimeout timeout estimate priority retry onLost ' +
  'allowFailure forEach resources risk breaker workerGroup workspace inputBindings outputVariables rollback'

type Ranks = ReadonlyMap<string, number>

/** What a block is: its usual order, whether its members are sections, whether they are nodes. */
type Level = 'pipeline' | 'nodes' | 'node' | null

const ranksOf = (order: string): Ranks => new Map(order.split(' ').map((key, at) => [key, at]))
const ranks = { pipeline: ranksOf(pipelineOrder), node: ranksOf(nodeOrder) }

/** The part of a whole document that says `wanted`. @throws ChangeRefused */
export function changePart(root: Part, wanted: unknown, options: ChangeOptions): Part {
  return new Change(options).root(root, wanted)
}

class Change {
  constructor(private readonly options: ChangeOptions) {}

  root(root: Part, wanted: unknown): Part {
    if (root.kind !== 'leaf') {
      const block = this.block(root, wanted, 'pipeline')
      if (block === null) throw new ChangeRefused()
      return block
    }
    const text = this.inPlace(root, wanted)
    if (text !== null) return { ...root, text, value: wanted }
    return { ...root, text: this.lines(documentText(wanted)), after: root.after.trimStart(), value: wanted }
  }

  /** The block with other members, or null when it must become something else. */
  private block(block: Block, wanted: unknown, level: Level): Block | null {
    const entries =
      block.kind === 'map'
        ? isRecord(wanted) && keysOf(wanted).length > 0 && this.map(block, wanted, level)
        : Array.isArray(wanted) && wanted.length > 0 && this.list(block, wanted, level)
    return entries ? { ...block, ...this.laidOut(block, entries), value: wanted } : null
  }

  private map(block: Block, wanted: Record<string, unknown>, level: Level): Row[] {
    const known = new Set(block.entries.map(({ key }) => key))
    const come = keysOf(wanted).filter((key) => !known.has(key))
    const staying = new Set(keysOf(wanted))
    const gone = block.entries.filter(({ key }) => !staying.has(key as string))
    // One key for another with the same value is a new name.
    const renamed =
      come.length === 1 && gone.length === 1 && sameJson(wanted[come[0] as string], gone[0]?.part.value)
        ? (gone[0] ?? null)
        : null
    const rows = block.entries.map((entry): Row => {
      if (entry === renamed) {
        const key = come[0] as string
        return { old: entry, entry: makeEntry({ ...entry, key, lead: keyLead(key) }) }
      }
      const key = entry.key as string
      if (!staying.has(key)) return { old: entry, entry: null }
      return { old: entry, entry: this.entry(entry, wanted[key], block.indent, childLevel(level, key)) }
    })
    if (renamed === null) {
      const usual = level === 'pipeline' || level === 'node' ? ranks[level] : null
      const own = new Map([...staying].map((key, at) => [key, at]))
      for (const key of come) {
        const order = usual?.has(key) ? usual : own
        const entry = this.newEntry(key, wanted[key], block.indent, childLevel(level, key))
        const apart = level === 'pipeline' && sections.has(key)
        insert(rows, apart ? makeEntry({ ...entry, before: this.options.eol + entry.before }) : entry, order)
      }
    }
    return rows
  }

  private list(block: Block, wanted: readonly unknown[], level: Level): Row[] {
    const matching = matchMembers(block.value as unknown[], wanted)
    const item = level === 'nodes' ? 'node' : null
    const [first, second] = block.entries
    const firstBlank = blankLines(first?.before ?? '')
    const apart = second ? /^[ \t]*\r?\n/m.test(second.before) : level === 'nodes'
    const blank = apart ? this.options.eol : ''
    const rows = matching.map((from, at): Row => {
      const old = from === null ? null : (block.entries[from] ?? null)
      const entry = old
        ? this.entry(old, wanted[at], block.indent, item)
        : this.newEntry(null, wanted[at], block.indent, item)
      if (old && (old === first) === (at === 0)) return { old, entry }
      const own = entry.before.slice(blankLines(entry.before).length) || ' '.repeat(block.indent)
      const before = (at === 0 ? firstBlank : blank) + own
      return { old, entry: makeEntry({ ...entry, before }) }
    })
    // What is gone leaves its level, so that comments that stood apart above it stay where they were.
    const kept = new Set(matching)
    const places = new Map(block.entries.map((entry, at) => [entry, at]))
    for (const [at, old] of block.entries.entries()) {
      if (kept.has(at)) continue
      const next = rows.findIndex((row) => row.old !== null && (places.get(row.old) ?? 0) > at)
      rows.splice(next < 0 ? rows.length : next, 0, { old, entry: null })
    }
    return rows
  }

  /** Entries and tail of the rows; comments that stood apart above what is gone go to what follows. */
  private laidOut(block: Block, rows: readonly Row[]): Pick<Block, 'entries' | 'tail'> {
    const entries: Entry[] = []
    // What stands behind a dash has nothing before it, and a new one there has neither.
    const behindDash = block.indent > 0 && block.entries[0]?.before === ''
    let carried = ''
    for (const { old, entry } of rows) {
      if (entry === null) {
        carried += standsApart(old?.before ?? '')
        continue
      }
      let before = carried === '' ? entry.before : carried + entry.before
      if (behindDash && entries.length === 0) before = before.trimStart()
      else if (behindDash && entry.before === '') before += ' '.repeat(block.indent)
      entries.push(before === entry.before ? entry : makeEntry({ ...entry, before }))
      carried = ''
    }
    return { entries, tail: carried + block.tail }
  }

  private entry(entry: Entry, wanted: unknown, indent: number, level: Level): Entry {
    const { part } = entry
    const stays = ![...this.written(part)].some((name) => this.options.gone.has(name))
    if (stays && sameJson(part.value, wanted)) return entry
    if (part.kind !== 'leaf') {
      const block = this.block(part, wanted, level)
      return block ? makeEntry({ ...entry, part: block }) : this.rewritten(entry, wanted, indent, level)
    }
    const text = stays ? this.inPlace(part, wanted) : null
    const gap = entry.gap === '' ? ' ' : entry.gap
    // What an alias stands for is written elsewhere: the whole document is read back then.
    if (text !== null && part.aliases.length > 0)
      return makeEntry({ ...entry, gap, part: { ...part, text, value: wanted } })
    const changed =
      text === null
        ? null
        : this.read(entry.before + entry.lead + gap + text + part.after, entry, wanted, indent)
    return changed ?? this.rewritten(entry, wanted, indent, level)
  }

  /** Aliases in a part; none are looked for unless some anchor is gone. */
  private *written(part: Part): Generator<string> {
    if (this.options.gone.size > 0) for (const leaf of leavesOf(part)) yield* leaf.aliases
  }

  /** The text of a leaf that says something else in the same manner, or null when it is to be written anew. */
  private inPlace(leaf: Leaf, wanted: unknown): string | null {
    if (leaf.anchors.length > 0) return null
    // What was empty is no manner of writing: its first member is written in the usual style.
    if (/^(?:\[\s*\]|\{\s*\})$/.test(leaf.text)) return null
    if (/^[[{]/.test(leaf.text) && typeof wanted === 'object') return editFlow(leaf.text, leaf.value, wanted)
    if (leaf.aliases.length > 0) return null
    if (/^[[{|>!?-]/.test(leaf.text) && !/^-[\d.]/.test(leaf.text)) return null
    if (typeof wanted === 'object' && wanted !== null) return null
    // Text of several lines stands better as a block.
    if (typeof wanted === 'string' && wanted.includes('\n')) return null
    return scalarLike(leaf.text, wanted, false)
  }

  /** The entry in the usual style. Its comments stay: that of its line, and the others above it. */
  private rewritten(entry: Entry, wanted: unknown, indent: number, level: Level): Entry {
    const [comment = '', ...others] = commentsIn(entry)
    const spaces = ' '.repeat(indent)
    const above = others.map((other) => `${other}${this.options.eol}${spaces}`).join('')
    const before = entry.before + above
    return this.printed({ ...entry, before }, wanted, { indent, level, comment })
  }

  private newEntry(key: string | null, value: unknown, indent: number, level: Level): Entry {
    const lead = key === null ? '-' : keyLead(key)
    return this.printed({ key, before: ' '.repeat(indent), lead }, value, { indent, level, comment: '' })
  }

  private printed(
    entry: Pick<Entry, 'key' | 'before' | 'lead'>,
    value: unknown,
    { indent, level, comment }: { indent: number; level: Level; comment: string },
  ): Entry {
    const field = entry.key ?? (level === 'node' ? 'nodes' : null)
    const ending = comment === '' ? '' : ` ${comment}`
    const spaces = ' '.repeat(indent)
    const lines = entryLines(entry.lead, value, { field, indent, comment: ending })
    const text = lines.map((line, at) => (at === 0 || line === '' ? line : spaces + line)).join('\n')
    const read = this.read(entry.before + this.lines(`${text}\n`), entry, value, indent)
    if (read === null) throw new ChangeRefused()
    return read
  }

  private lines(text: string): string {
    return this.options.eol === '\n' ? text : text.replaceAll('\n', this.options.eol)
  }

  /** The entry that a text is, or null when it does not say `wanted`: nothing is written that was not read back. */
  private read(
    text: string,
    { key, before }: Pick<Entry, 'key' | 'before'>,
    wanted: unknown,
    indent: number,
  ): Entry | null {
    // Behind a dash there is no indentation; it is lent for the reading.
    const lent = /^(?:#|$)/.test(before)
    const padded = lent ? ' '.repeat(indent) + text : text
    const document = parseDocument(padded, yamlOptions)
    if (document.errors.length > 0 || document.warnings.length > 0) return null
    const value: unknown = document.toJS()
    if (!sameJson(value, key === null ? [wanted] : { [key]: wanted })) return null
    const part = takeApart(padded, document, value, 0)
    const entry = part.kind === 'leaf' || part.tail !== '' ? undefined : part.entries[0]
    if (entry === undefined) return null
    return lent ? makeEntry({ ...entry, before: entry.before.slice(indent) }) : entry
  }
}

/** An entry as it was and as it is: null when it is new, or gone. */
type Row = { readonly old: Entry | null; readonly entry: Entry | null }

/** Below the last of what comes before it in `order`. */
function insert(rows: Row[], entry: Entry, order: Ranks): void {
  const rank = order.get(entry.key ?? '') ?? 0
  const above = rows.findLastIndex((row) => (order.get(row.entry?.key ?? '') ?? Infinity) < rank)
  rows.splice(above + 1, 0, { old: null, entry })
}

function childLevel(level: Level, key: string): Level {
  return level === 'pipeline' && key === 'nodes' ? 'nodes' : null
}

function blankLines(before: string): string {
  return /^(?:[ \t]*\r?\n)*/.exec(before)?.[0] ?? ''
}

/** Of what stands above an entry: the comments that a blank line sets apart from it. */
function standsApart(before: string): string {
  return /^[^]*#[^\n]*\n(?=[ \t]*\r?\n)/.exec(before)?.[0] ?? ''
}

/** The comments on the line of an entry, inside what is only its frame, and below it. */
function commentsIn({ gap, part }: Entry): string[] {
  const header = part.kind === 'leaf' && /^[|>]/.test(part.text) ? (part.text.split('\n', 1)[0] ?? '') : ''
  const frame = [gap, header.replace(/^[^#]*/, ''), part.kind === 'leaf' ? part.after : '']
  return frame.flatMap((text) => text.split('\n')).flatMap((line) => /#.*/.exec(line)?.[0].trimEnd() ?? [])
}
