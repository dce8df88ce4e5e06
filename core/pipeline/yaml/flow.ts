import { isCollection, isMap, isScalar, isSeq, parseDocument, type Node } from 'yaml'
import { isRecord } from '@/core/pipeline/json'
import { keysOf, matchMembers, sameJson } from '@/core/pipeline/match'
import { yamlOptions } from './yaml'
import { skipTrivia } from './parts'
import { doubleQuoted, flowText, scalarText, singleQuoted } from './print'

/** A word in the quotes of the one whose place it takes. */
export function scalarLike(old: string, value: unknown, inFlow: boolean): string {
  if (typeof value === 'string' && old.startsWith("'")) return singleQuoted(value) ?? doubleQuoted(value)
  if (typeof value === 'string' && old.startsWith('"')) return doubleQuoted(value)
  return scalarText(value, inFlow)
}

/**
 * The text of `[ ]` or `{ }` so that it says `wanted`, everything else being as it was: spaces, lines, quotes, comments, aliases.
 * `value` is what it says: what an alias in it stands for is written elsewhere. Null when it is written in a way that is not taken apart.
 */
export function editFlow(text: string, value: unknown, wanted: unknown): string | null {
  const { contents, errors } = parseDocument(text, yamlOptions)
  if (errors.length > 0 || !isCollection(contents) || !contents.flow) return null
  try {
    return new FlowEditing(text).value(contents, value, wanted)
  } catch (fault) {
    if (fault instanceof NotApart) return null
    throw fault
  }
}

class NotApart extends Error {}

/** A member with what stands around it; a comma follows it unless it is the last. */
type Member = {
  readonly before: string
  readonly text: string
  /** The rest of its line, when the next begins on another. */
  readonly rest: string
}

class FlowEditing {
  constructor(private readonly text: string) {}

  value(node: Node, value: unknown, wanted: unknown): string {
    const [start, end] = rangeOf(node)
    if (sameJson(value, wanted)) return this.text.slice(start, end)
    if (isScalar(node) && (typeof wanted !== 'object' || wanted === null)) {
      return scalarLike(this.text.slice(start, end), wanted, true)
    }
    if (isSeq(node) && Array.isArray(wanted) && Array.isArray(value) && node.items.length > 0) {
      const matching = matchMembers(value, wanted)
      return this.collection(
        node,
        matching.map((from, at) =>
          from === null
            ? flowText(wanted[at])
            : { from, text: this.value(node.items[from] as Node, value[from], wanted[at]) },
        ),
      )
    }
    if (isMap(node) && isRecord(wanted) && isRecord(value) && node.items.length > 0) {
      const kept = node.items.flatMap((pair, from) => {
        const key = String((pair.key as { value: unknown }).value)
        return Object.hasOwn(wanted, key) && wanted[key] !== undefined
          ? [{ from, text: this.pair(pair as Pair, value[key], wanted[key]) }]
          : []
      })
      const added = keysOf(wanted).filter((key) => !Object.hasOwn(value, key))
      return this.collection(node, [
        ...kept,
        ...added.map((key) => `${scalarText(key, true)}: ${flowText(wanted[key])}`),
      ])
    }
    return flowText(wanted)
  }

  private pair({ key, value: node }: Pair, value: unknown, wanted: unknown): string {
    const [start, keyEnd] = rangeOf(key)
    if (node === null || node.range?.[0] === node.range?.[1]) {
      if (wanted === null) return this.text.slice(start, node?.range?.[1] ?? keyEnd)
      return `${this.text.slice(start, keyEnd)}: ${flowText(wanted)}`
    }
    return this.text.slice(start, rangeOf(node)[0]) + this.value(node, value, wanted)
  }

  /** Writes the collection with these members: old ones by their place, new ones as text. */
  private collection(
    node: Node & { items: unknown[] },
    chosen: readonly (string | { from: number; text: string })[],
  ): string {
    const [start, end] = rangeOf(node)
    const first = this.start(node.items[0])
    const open = this.lineEnd(start + 1, first) ?? start + 1
    const old: Member[] = []
    let at = open
    let trailingComma = false
    for (const [i, item] of node.items.entries()) {
      const begin = skipTrivia(this.text, at)
      if (begin !== this.start(item)) throw new NotApart()
      const itemEnd = this.end(item)
      const comma = skipTrivia(this.text, itemEnd)
      const last = i === node.items.length - 1
      trailingComma = this.text[comma] === ','
      if ((!trailingComma && !last) || (trailingComma && this.text.slice(itemEnd, comma).trim() !== '')) {
        throw new NotApart()
      }
      const from = trailingComma ? comma + 1 : itemEnd
      const next = this.lineEnd(from, skipTrivia(this.text, from)) ?? from
      old.push({
        before: this.text.slice(at, begin),
        text: this.text.slice(begin, itemEnd),
        rest: this.text.slice(from, next),
      })
      at = next
    }
    const tail = this.text.slice(at, end - 1)
    const lead = old[0] as Member
    const onLines = open > start + 1
    const eol = this.text.includes('\r\n') ? '\r\n' : '\n'
    const members = chosen.map((choice, i): Member => {
      if (typeof choice !== 'string') {
        const member = { ...(old[choice.from] as Member), text: choice.text }
        // What was first has no space before it, and what becomes first needs none.
        if (onLines || member.before.trim() !== '' || (choice.from === 0) === (i === 0)) return member
        return { ...member, before: i === 0 ? lead.before : ' ' }
      }
      if (onLines) return { before: lead.before.split('\n').at(-1) ?? '', text: choice, rest: eol }
      return { before: i === 0 ? lead.before : ' ', text: choice, rest: '' }
    })
    const written = members.map(
      ({ before, text, rest }, i) =>
        `${before}${text}${i < members.length - 1 || trailingComma ? ',' : ''}${rest}`,
    )
    return this.text.slice(start, open) + written.join('') + tail + this.text.slice(end - 1, end)
  }

  /** Behind the end of the line, when it ends before `next`. */
  private lineEnd(from: number, next: number): number | null {
    const at = this.text.indexOf('\n', from)
    return at >= 0 && at < next ? at + 1 : null
  }

  private start(item: unknown): number {
    return rangeOf(isPair(item) ? item.key : (item as Node))[0]
  }

  private end(item: unknown): number {
    if (!isPair(item)) return rangeOf(item as Node)[1]
    return item.value === null ? rangeOf(item.key)[1] : rangeOf(item.value)[1]
  }
}

type Pair = { key: Node; value: Node | null }

function isPair(item: unknown): item is Pair {
  return typeof item === 'object' && item !== null && 'key' in item
}

function rangeOf(node: Node): [number, number] {
  if (!node.range) throw new NotApart()
  return [node.range[0], node.range[1]]
}
