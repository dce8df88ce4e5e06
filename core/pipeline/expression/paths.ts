import type { ASTNode } from '@marcbachmann/cel-js'
import { library } from './functions'
import { macros } from './lowering'
import type { Json } from '@/core/pipeline/json'

type Path = readonly (string | number)[]

/** How deep an expression reads into a value, and what the value might be, by what is done with it. */
export type ReadPath = {
  /** From the root on: `read`, `facts`, `days` of `read.facts.days`; a number is a place in a list (any, when it is computed). */
  readonly segments: Path
  /** A value with which the comparison that it stands in holds, or of the type that is asked for; absent: nothing is known. */
  readonly example?: Json
  /** The other side of the comparison or sum that it stands in, and its operator with this path on the left. */
  readonly like?: { readonly segments: Path; readonly op: string }
  /** It has so many elements, or characters. */
  readonly size?: number
}

type Bound = ReadonlyMap<string, Path>

type Known = {
  /** A value with which the reader of the whole expression is content. */
  readonly wanted?: Json
  /** The value of a path that is known without a run: the default of an input. */
  readonly constant?: (path: Path) => Json | undefined
}

/**
 * Every path that an expression reads, with its indexes; names that a macro binds are places in the list that it goes
 * through. For inventing a value that the expression can read. Empty when the source does not parse.
 */
export function readPaths(
  source: string,
  { wanted, constant = () => undefined }: Known = {},
): readonly ReadPath[] {
  const ast = parsed(source)
  if (ast === null) return []
  const visitor = new Visitor(constant)
  visitor.visit(ast, wanted, new Map())
  return visitor.found
}

/** The path of a list whose elements an expression goes through, in its order or some other: `a.rows`, `a.rows.filter(r, r.ok)`. */
export function listPath(source: string): Path | null {
  const ast = parsed(source)
  return ast === null ? null : elementsOf(ast, new Map())
}

/** The path that an expression is, and nothing else. */
export function wholePath(source: string): Path | null {
  const ast = parsed(source)
  return ast === null ? null : plainPath(ast, new Map())
}

function parsed(source: string): ASTNode | null {
  try {
    return library().environment.parse(source).ast
  } catch {
    return null
  }
}

class Visitor {
  readonly found: ReadPath[] = []

  constructor(readonly constant: (path: Path) => Json | undefined) {}

  visit(node: ASTNode, wanted: Json | undefined, bound: Bound): void {
    const go = (child: ASTNode, example?: Json) => this.visit(child, example, bound)
    switch (node.op) {
      case 'value':
        return
      case 'id':
      case '.':
      case '[]':
        return this.#note(node, bound, wanted === undefined ? {} : { example: wanted })
      case 'call':
        return this.#function(node.args, wanted, bound)
      case 'rcall':
        return this.#method(node.args, wanted, bound)
      case 'map':
        for (const [key, value] of node.args) {
          go(key)
          go(value, memberOf(wanted, literalOf(key)))
        }
        return
      case '!_':
        return go(node.args, true)
      case '-_':
        return go(node.args, typeof wanted === 'number' ? -wanted : 1)
      case 'list':
        node.args.forEach((item, at) => go(item, memberOf(wanted, at)))
        return
      case '?:': {
        const [condition, ...branches] = node.args
        go(condition, true)
        branches.forEach((branch) => go(branch, wanted))
        return
      }
      case '.?':
      case '[?]':
        return
      default:
        return this.#operator(node.op, node.args as [ASTNode, ASTNode], wanted, bound)
    }
  }

  #note(node: ASTNode, bound: Bound, more: Omit<ReadPath, 'segments'>): void {
    const segments = this.#segmentsOf(node, bound, more.example)
    if (segments !== null) this.found.push({ segments, ...more })
  }

  #operator(op: string, [left, right]: [ASTNode, ASTNode], wanted: Json | undefined, bound: Bound): void {
    const [first, second] = [this.#valueOf(left, bound), this.#valueOf(right, bound)]
    if (op === '&&' || op === '||') {
      this.visit(left, true, bound)
      return this.visit(right, true, bound)
    }
    if (ARITHMETIC.has(op)) {
      this.visit(left, termOf(op, wanted, second), bound)
      this.visit(
        right,
        second === undefined && first === undefined ? neutralOf(op, wanted) : otherTermOf(op, wanted, first),
        bound,
      )
      return this.#like(op, left, right, bound)
    }
    if (op === 'in') {
      this.visit(left, Array.isArray(second) ? (second as readonly Json[])[0] : undefined, bound)
      return this.visit(right, first === undefined ? [] : [first], bound)
    }
    this.visit(left, besides(op, second), bound)
    this.visit(right, besides(MIRRORED[op] ?? op, first), bound)
    this.#like(op, left, right, bound)
  }

  /** Neither side is known: what is known of one elsewhere says what the other is. */
  #like(op: string, left: ASTNode, right: ASTNode, bound: Bound): void {
    const [a, b] = [plainPath(left, bound), plainPath(right, bound)]
    if (a === null || b === null || this.constant(a) !== undefined || this.constant(b) !== undefined) return
    this.found.push({ segments: a, like: { segments: b, op } })
  }

  #function([name, args]: [string, ASTNode[]], wanted: Json | undefined, bound: Bound): void {
    const [only] = args
    if (name === 'size' && only !== undefined && args.length === 1) return this.#size(only, wanted, bound)
    args.forEach((arg, at) => this.visit(arg, argumentOf(name, wanted, { at, of: args.length }), bound))
  }

  #size(node: ASTNode, wanted: Json | undefined, bound: Bound): void {
    const path = plainPath(node, bound)
    if (path === null) return this.visit(node, undefined, bound)
    this.found.push({ segments: path, size: typeof wanted === 'number' ? Math.max(0, Math.ceil(wanted)) : 1 })
  }

  #method(
    [name, receiver, args]: [string, ASTNode, ASTNode[]],
    wanted: Json | undefined,
    bound: Bound,
  ): void {
    const [variable, ...bodies] = args
    if (macros.has(name) && variable?.op === 'id') {
      const list = elementsOf(receiver, bound)
      this.visit(receiver, list === null ? undefined : [], bound)
      const inside = new Map(bound).set(variable.args, list === null ? [] : [...list, 0])
      const asks = name === 'map' && bodies.length === 1 ? undefined : true
      return bodies.forEach((body, at) => {
        const isResult = name === 'map' && at === bodies.length - 1
        this.visit(body, isResult ? memberOf(wanted, 0) : asks, inside)
      })
    }
    if (name === 'size' && args.length === 0) return this.#size(receiver, wanted, bound)
    this.visit(receiver, receiverOf(name, wanted, args.map(literalOf)), bound)
    args.forEach((arg) => this.visit(arg, undefined, bound))
  }

  /**
   * The segments of a path; null when it does not begin with a name: what it begins with is visited, with what is wanted at the end of the path.
   * What computes an index is visited too. Which place it names is not known: the first of the list stands for it.
   */
  #segmentsOf(node: ASTNode, bound: Bound, wanted: Json | undefined): Path | null {
    if (node.op === 'id') return rootOf(node.args, bound)
    if (node.op !== '.' && node.op !== '[]') {
      this.visit(node, wanted, bound)
      return null
    }
    const key = node.op === '.' ? node.args[1] : this.#valueOf(node.args[1], bound)
    const before = this.#segmentsOf(node.args[0], bound, around(key, wanted))
    if (node.op === '[]' && key === undefined) this.visit(node.args[1], 0, bound)
    return before === null ? null : [...before, typeof key === 'string' || typeof key === 'number' ? key : 0]
  }

  #valueOf(node: ASTNode, bound: Bound): Json | undefined {
    const literal = literalOf(node)
    if (literal !== undefined) return literal
    const path = plainPath(node, bound)
    return path === null ? undefined : this.constant(path)
  }
}

/** The path of a name; null where nothing is known of what a macro binds. */
function rootOf(name: string, bound: Bound): Path | null {
  const names = bound.get(name)
  return names === undefined ? [name] : names.length === 0 ? null : names
}

function plainPath(node: ASTNode, bound: Bound): Path | null {
  if (node.op === 'id') return rootOf(node.args, bound)
  if (node.op !== '.' && node.op !== '[]') return null
  const before = plainPath(node.args[0], bound)
  const key = node.op === '.' ? node.args[1] : literalOf(node.args[1])
  return before !== null && (typeof key === 'string' || typeof key === 'number') ? [...before, key] : null
}

/** The list that the elements of a value come from. */
function elementsOf(node: ASTNode, bound: Bound): Path | null {
  if (node.op !== 'rcall') return plainPath(node, bound)
  const [name, receiver] = node.args
  return SAME_ELEMENTS.has(name) ? elementsOf(receiver, bound) : null
}

const SAME_ELEMENTS = new Set(['filter', 'sort', 'sortBy', 'reverse', 'distinct', 'slice'])

/** Longest list that is made for an index. */
const MOST_PLACES = 100

/** A value that has `wanted` at a key; null stands where nothing is known. */
function around(key: Json | undefined, wanted: Json | undefined): Json | undefined {
  if (typeof key === 'string') return wanted === undefined ? undefined : { [key]: wanted }
  if (typeof key !== 'number' || key < 0 || key >= MOST_PLACES) return undefined
  return Array.from({ length: key + 1 }, () => wanted ?? null)
}

/** The reverse: what is wanted of a member. */
function memberOf(wanted: Json | undefined, key: Json | undefined): Json | undefined {
  if (typeof wanted !== 'object' || wanted === null) return undefined
  const members = wanted as { readonly [key: string]: Json }
  const name = String(key)
  return Object.hasOwn(members, name) ? (members[name] ?? undefined) : undefined
}

/** An argument with which a function answers what is wanted of it, or anything at all. */
function argumentOf(
  name: string,
  wanted: Json | undefined,
  { at, of: count }: { readonly at: number; readonly of: number },
): Json | undefined {
  const number = typeof wanted === 'number' ? wanted : 1
  switch (name) {
    case 'timestamp':
      return '2026-01-01T00:00:00Z'
    case 'duration':
      return '1s'
    case 'double':
    case 'int':
    case 'uint':
    case 'abs':
      return number
    case 'round':
      return at === 0 ? number : 0
    case 'sum':
      return [number]
    case 'min':
    case 'max':
      return count === 1 ? [number] : number
    case 'bool':
      return wanted === false ? 'false' : 'true'
    case 'upper':
    case 'lower':
      return typeof wanted === 'string' ? wanted : 'text'
    default:
      return undefined
  }
}

const TEXT_METHODS = new Set([
  'startsWith',
  'endsWith',
  'contains',
  'matches',
  'split',
  'replace',
  'substring',
  'indexOf',
  'charAt',
])
const SAME_TEXT = new Set(['lowerAscii', 'upperAscii', 'trim'])

/** What a method can be called on, with an answer that is wanted. */
function receiverOf(
  name: string,
  wanted: Json | undefined,
  [part, end]: readonly (Json | undefined)[],
): Json | undefined {
  if (SAME_TEXT.has(name)) return typeof wanted === 'string' ? wanted : 'text'
  if (name === 'join') return []
  if (!TEXT_METHODS.has(name)) return undefined
  if (name === 'substring' && typeof part === 'number' && part >= 0 && part < MOST_PLACES) {
    const length = Math.min(MOST_PLACES, typeof end === 'number' ? Math.max(0, end - part) : 1)
    return '0'.repeat(part) + (typeof wanted === 'string' ? wanted : '').padEnd(length, '0')
  }
  if (name === 'split' && Array.isArray(wanted) && typeof part === 'string')
    return wanted.map((piece) => (typeof piece === 'string' ? piece : 'text')).join(part)
  return name !== 'matches' && name !== 'replace' && typeof part === 'string' && part !== '' ? part : 'text'
}

function literalOf(node: ASTNode | undefined): Json | undefined {
  if (node?.op === '-_') {
    const value = literalOf(node.args)
    return typeof value === 'number' ? -value : undefined
  }
  if (node?.op === 'list') {
    const items = node.args.map(literalOf)
    return items.includes(undefined) ? undefined : (items as Json[])
  }
  if (node?.op !== 'value') return undefined
  const value: unknown = node.args
  if (typeof value === 'bigint') return Number(value)
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : undefined
}

const ARITHMETIC = new Set(['+', '-', '*', '/', '%'])

/** What the left side of `left op right` may be, so that it comes to what is wanted. */
function termOf(op: string, wanted: Json | undefined, right: Json | undefined): Json | undefined {
  if (op === '+' && (typeof right === 'string' || typeof wanted === 'string')) {
    const end = typeof right === 'string' ? right : ''
    return typeof wanted === 'string' && wanted.endsWith(end)
      ? wanted.slice(0, wanted.length - end.length)
      : 'text'
  }
  if (op === '+' && (Array.isArray(right) || Array.isArray(wanted))) return []
  if (typeof wanted !== 'number') return op === '+' && typeof right !== 'number' ? undefined : 1
  if (typeof right !== 'number') return wanted
  switch (op) {
    case '+':
      return wanted - right
    case '-':
      return wanted + right
    case '*':
      return right === 0 ? 1 : wanted / right
    case '/':
      return wanted * right
    default:
      return wanted
  }
}

/** The same of the right side, where the left one is known. */
function otherTermOf(op: string, wanted: Json | undefined, left: Json | undefined): Json | undefined {
  if (op === '+' || op === '*') {
    if (op === '+' && typeof left === 'string')
      return typeof wanted === 'string' && wanted.startsWith(left) ? wanted.slice(left.length) : 'text'
    return termOf(op, wanted, left)
  }
  if (typeof wanted !== 'number' || typeof left !== 'number') return 1
  return op === '-' ? left - wanted : op === '/' && wanted !== 0 ? left / wanted : 1
}

/** The right side where nothing is known of either: what leaves the left one as it is. */
function neutralOf(op: string, wanted: Json | undefined): Json | undefined {
  if (op === '+' && typeof wanted === 'string') return ''
  if (op === '+' && Array.isArray(wanted)) return []
  if (op === '+' && wanted === undefined) return undefined
  return op === '+' || op === '-' ? (typeof wanted === 'number' ? 0 : 1) : 1
}

export const MIRRORED: Readonly<Record<string, string>> = { '<': '>', '>': '<', '<=': '>=', '>=': '<=' }

/** A value for the left side with which the comparison with `other` holds. */
export function besides(op: string, other: Json | undefined): Json | undefined {
  switch (op) {
    case '==':
    case '>=':
    case '<=':
      return other
    case '>':
      return typeof other === 'number' ? other + 1 : other === undefined ? undefined : `${String(other)}z`
    case '<':
      return typeof other === 'number' ? other - 1 : other === undefined ? undefined : ''
    case '!=':
      return differentFrom(other)
    default:
      return undefined
  }
}

function differentFrom(other: Json | undefined): Json | undefined {
  switch (typeof other) {
    case 'number':
      return other + 1
    case 'boolean':
      return !other
    case 'string':
      return `${other}z`
    default:
      return undefined
  }
}
