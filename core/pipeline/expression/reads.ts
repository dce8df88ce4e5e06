import type { ASTNode } from '@marcbachmann/cel-js'
import type { Reference, SyntaxIssue } from './types'
import { internalPrefix, isCelName } from './functions'
import { macros } from './lowering'
import type { Result } from '@/core/pipeline/json'

/** Names that stand for a value by themselves, where the place of the expression provides one. */
const localNames: ReadonlySet<string> = new Set(['item', 'index', 'result', 'error', 'attempts', 'body'])

/** `members`: what is read of the locals, one name deep (`error.kind`). `places`: every root, where it stands in the source. */
export type Reads = {
  references: Reference[]
  locals: string[]
  members: string[]
  places: { root: string; start: number }[]
}

class ReadFault extends Error {
  constructor(
    message: string,
    readonly hint: string | undefined,
    readonly position: number,
  ) {
    super(message)
  }
}

type AnyNode = { op?: string | undefined; args?: unknown }

/** The names of a path such as `a.v` or `a["v"]`, or null when the node is something else. */
function segmentsOf(node: AnyNode): string[] | null {
  if (node.op === 'id') return [node.args as string]
  if (node.op !== '.' && node.op !== '[]') return null
  const [left, right] = node.args as [AnyNode, string | AnyNode]
  const before = segmentsOf(left)
  if (before === null) return null
  if (typeof right === 'string') return [...before, right]
  return right.op === 'value' && typeof right.args === 'string' ? [...before, right.args] : null
}

/** `a.v` of a node that reads it, for errors that name a node of the tree. */
export function pathOf(node: AnyNode): string | null {
  return segmentsOf(node)?.join('.') ?? null
}

/**
 * Every variable that a tree may read. Names bound by a macro (`xs.map(x, …)`) are not variables. A name that
 * stands alone is refused: what an expression reads must be known without evaluating it.
 */
export function findReads(ast: ASTNode): Result<Reads, SyntaxIssue> {
  const references = new Map<string, Reference>()
  const locals = new Set<string>()
  const members = new Set<string>()
  const places: Reads['places'] = []
  try {
    visit(ast, new Set(), { references, locals, members, places })
  } catch (error) {
    if (!(error instanceof ReadFault)) throw error
    const issue: SyntaxIssue = { message: error.message, position: error.position }
    if (error.hint !== undefined) issue.hint = error.hint
    return { ok: false, error: issue }
  }
  return {
    ok: true,
    value: { references: [...references.values()], locals: [...locals], members: [...members], places },
  }
}

type Found = {
  references: Map<string, Reference>
  locals: Set<string>
  members: Set<string>
  places: Reads['places']
}

function visit(node: ASTNode, bound: ReadonlySet<string>, found: Found): void {
  const go = (child: ASTNode, names: ReadonlySet<string> = bound) => visit(child, names, found)
  switch (node.op) {
    case 'value':
      return
    case 'id':
      readName(node, node.args, bound, found.locals)
      return
    case '.':
    case '[]':
      readPath(node, bound, found, go)
      return
    case 'call': {
      const [name, args] = node.args
      if (name.startsWith(internalPrefix))
        throw new ReadFault(`function '${name}' is not known`, undefined, node.start)
      args.forEach((arg) => go(arg))
      return
    }
    case 'rcall': {
      const [name, receiver, args] = node.args
      if (receiver.op === 'id' && receiver.args === 'cel') {
        throw new ReadFault('cel.bind is not available here', undefined, node.start)
      }
      go(receiver)
      const [variable, ...bodies] = args
      if (macros.has(name) && variable?.op === 'id') {
        const inside = new Set(bound).add(variable.args)
        bodies.forEach((body) => go(body, inside))
      } else {
        args.forEach((arg) => go(arg))
      }
      return
    }
    case 'map':
      checkKeys(node.args)
      for (const [key, value] of node.args) {
        go(key)
        go(value)
      }
      return
    case '!_':
    case '-_':
      go(node.args)
      return
    case 'list':
      node.args.forEach((item) => go(item))
      return
    case '?:':
      node.args.forEach((child) => go(child))
      return
    case '.?':
    case '[?]':
      throw new ReadFault('optional access is not available here; use has(…)', undefined, node.start)
    default:
      for (const child of node.args) go(child)
  }
}

/** @throws ReadFault for a key that is written twice: the library would take the last value in silence */
function checkKeys(entries: readonly (readonly [ASTNode, ASTNode])[]): void {
  const seen = new Set<string>()
  for (const [key] of entries) {
    if (key.op !== 'value') continue
    const word = String(key.args)
    if (seen.has(word)) throw new ReadFault(`the key '${word}' is written twice`, undefined, key.start)
    seen.add(word)
  }
}

/** An identifier that stands alone. */
function readName(node: ASTNode, name: string, bound: ReadonlySet<string>, locals: Set<string>): void {
  if (bound.has(name)) return
  if (localNames.has(name)) {
    locals.add(name)
    return
  }
  if (isCelName(name)) return
  const hint =
    name === 'pipeline' ? 'write pipeline.input.name' : `write ${name}.output, or '${name}' for text`
  throw new ReadFault(`'${name}' is not a variable by itself`, hint, node.start)
}

function readPath(
  node: ASTNode,
  bound: ReadonlySet<string>,
  { references, members, places }: Found,
  go: (child: ASTNode) => void,
): void {
  if (node.op !== '.' && node.op !== '[]') return
  const names = prefixOf(node)
  const [first] = names
  if (first === undefined || bound.has(first) || localNames.has(first) || isCelName(first)) {
    if (first !== undefined && !bound.has(first) && localNames.has(first) && names[1] !== undefined)
      members.add(`${first}.${names[1]}`)
    go(node.args[0])
    if (node.op === '[]') go(node.args[1])
    return
  }
  const reference = referenceOf(names)
  if (reference === null) {
    const example = first === 'pipeline' ? 'pipeline.input.name' : `${first}.output`
    throw new ReadFault(
      `'${names.join('.')}' does not name a variable`,
      `write ${example}; names must be written out`,
      node.start,
    )
  }
  references.set(reference.name, reference)
  places.push({ root: reference.root, start: startOfRoot(node) })
  visitIndexes(node, go)
}

/** What the author wrote as names from the left, as far as they are constant. */
function prefixOf(node: ASTNode): string[] {
  const whole = segmentsOf(node)
  if (whole !== null) return whole
  if (node.op === '.' || node.op === '[]') return prefixOf(node.args[0])
  return []
}

/** Parentheses may stand before the first name of a path. */
function startOfRoot(node: ASTNode): number {
  return node.op === '.' || node.op === '[]' ? startOfRoot(node.args[0]) : node.start
}

/** Indexes inside the path may read variables of their own: `a.rows[b.i]`. */
function visitIndexes(node: ASTNode, go: (child: ASTNode) => void): void {
  if (node.op !== '.' && node.op !== '[]') return
  if (node.op === '[]') go(node.args[1])
  visitIndexes(node.args[0], go)
}

function referenceOf(names: readonly string[]): Reference | null {
  const [first, second, third] = names
  if (first === undefined || second === undefined) return null
  if (first === 'pipeline') {
    if (third === undefined || (second !== 'input' && second !== 'output')) return null
    return { name: `pipeline.${second}.${third}`, root: `pipeline.${second}`, variable: third }
  }
  return { name: `${first}.${second}`, root: first, variable: second }
}
