import type { ASTNode } from '@marcbachmann/cel-js'
import { library } from './functions'
import { macros } from './lowering'
import type { Json } from '@/core/pipeline/json'

/** How deep an expression reads into a value, and what the value might be, by what is done with it. */
export type ReadPath = {
  /** From the root on: `read`, `facts`, `days` of `read.facts.days`; a number is a place in a list (any, when it is computed). */
  readonly segments: readonly (string | number)[]
  /** A value with which the comparison that it stands in holds, or of the type that is asked for; absent: nothing is known. */
  readonly example?: Json
}

type Bound = ReadonlyMap<string, readonly (string | number)[]>

/**
 * Every path that an expression reads, with its indexes; names that a macro binds are places in the list that it goes
 * through. For inventing a value that the expression can read. Empty when the source does not parse.
 */
export function readPaths(source: string): readonly ReadPath[] {
  const found: ReadPath[] = []
  let ast: ASTNode
  try {
    ast = library().environment.parse(source).ast
  } catch {
    return found
  }
  visit(ast, undefined, new Map(), found)
  return found
}

function visit(node: ASTNode, example: Json | undefined, bound: Bound, found: ReadPath[]): void {
  const go = (child: ASTNode, wanted?: Json, names: Bound = bound) => visit(child, wanted, names, found)
  switch (node.op) {
    case 'value':
      return
    case 'id':
    case '.':
    case '[]': {
      const segments = segmentsOf(node, bound, go)
      if (segments !== null) found.push(example === undefined ? { segments } : { segments, example })
      return
    }
    case 'call':
      node.args[1].forEach((arg) => go(arg))
      return
    case 'rcall':
      return visitMethod(node.args, bound, go)
    case 'map':
      for (const [key, value] of node.args) {
        go(key)
        go(value)
      }
      return
    case '!_':
      return go(node.args, true)
    case '-_':
      return go(node.args, 1)
    case 'list':
      node.args.forEach((item) => go(item))
      return
    case '?:': {
      const [condition, ...branches] = node.args
      go(condition, true)
      branches.forEach((branch) => go(branch, example))
      return
    }
    case '.?':
    case '[?]':
      return
    default: {
      const [left, right] = node.args as [ASTNode, ASTNode]
      go(left, besides(node.op, literalOf(right)))
      go(right, besides(MIRRORED[node.op] ?? node.op, literalOf(left)))
    }
  }
}

function visitMethod(
  [name, receiver, args]: [string, ASTNode, ASTNode[]],
  bound: Bound,
  go: (child: ASTNode, wanted?: Json, names?: Bound) => void,
): void {
  const [variable, ...bodies] = args
  if (macros.has(name) && variable?.op === 'id') {
    const list = segmentsOf(receiver, bound, () => undefined)
    go(receiver, list === null ? undefined : [])
    const inside = new Map(bound).set(variable.args, list === null ? [] : [...list, 0])
    return bodies.forEach((body) => go(body, undefined, inside))
  }
  go(receiver, TEXT_METHODS.has(name) ? textFor(name, literalOf(args[0])) : undefined)
  args.forEach((arg) => go(arg))
}

const TEXT_METHODS = new Set(['startsWith', 'endsWith', 'contains', 'matches'])
const textFor = (name: string, part: Json | undefined): Json =>
  name !== 'matches' && typeof part === 'string' ? part : 'text'

/** The segments of a path; null when it does not begin with a name. What computes an index is visited. */
function segmentsOf(
  node: ASTNode,
  bound: Bound,
  go: (child: ASTNode) => void,
): readonly (string | number)[] | null {
  if (node.op === 'id') {
    const names = bound.get(node.args)
    return names === undefined ? [node.args] : names.length === 0 ? null : names
  }
  if (node.op !== '.' && node.op !== '[]') {
    go(node)
    return null
  }
  const before = segmentsOf(node.args[0], bound, go)
  const key = node.op === '.' ? node.args[1] : literalOf(node.args[1])
  if (node.op === '[]' && key === undefined) go(node.args[1])
  return before === null ? null : [...before, typeof key === 'string' || typeof key === 'number' ? key : 0]
}

function literalOf(node: ASTNode | undefined): Json | undefined {
  if (node?.op === '-_') {
    const value = literalOf(node.args)
    return typeof value === 'number' ? -value : undefined
  }
  if (node?.op !== 'value') return undefined
  const value: unknown = node.args
  if (typeof value === 'bigint') return Number(value)
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : undefined
}

const MIRRORED: Readonly<Record<string, string>> = { '<': '>', '>': '<', '<=': '>=', '>=': '<=' }

/** A value for the left side with which the comparison with `other` holds. */
function besides(op: string, other: Json | undefined): Json | undefined {
  switch (op) {
    case '&&':
    case '||':
      return true
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
    case '-':
    case '*':
    case '/':
    case '%':
      return 1
    case '+':
      return typeof other === 'string' ? 'text' : typeof other === 'number' ? 1 : undefined
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
