import type { ASTNode } from '@marcbachmann/cel-js'
import { parseExpression, type Reference, type SyntaxIssue } from './expression'
import { library } from './functions'
import { findReads } from './reads'
import type { Result } from '@/core/pipeline/json'

/**
 * An expression in which every variable of one node is a variable of another: `from.rows > 1` becomes `to.rows > 1`. Names in
 * texts and names that a macro binds stay. Answers an issue when the source does not parse, or when `to` would mean something else
 * in it (a macro binds it, or it is a word of the language).
 */
export function renameRead(source: string, from: string, to: string): Result<string, SyntaxIssue> {
  return renamed(source, to, {
    isOf: ({ root }) => root === from,
    root: from,
    name: (name) => to + name.slice(from.length),
    path: (path) => to + path.slice(from.length),
  })
}

/** An expression in which one input of the pipeline has another name: `pipeline.input.from` becomes `pipeline.input.to`. As `renameRead`. */
export function renameInput(source: string, from: string, to: string): Result<string, SyntaxIssue> {
  return renamed(source, to, {
    isOf: ({ root, variable }) => root === 'pipeline.input' && variable === from,
    root: 'pipeline.input',
    name: () => `pipeline.input.${to}`,
    path: (path) =>
      path.replace(inputPath, (whole, before: string, name: string) => (name === from ? before + to : whole)),
  })
}

const inputPath = /^(pipeline\s*\.\s*input\s*\.\s*)(\w+)/

type Renaming = {
  readonly isOf: (read: Reference) => boolean
  /** Of the reads whose places are looked at. */
  readonly root: string
  /** The full name of a read that is renamed. */
  readonly name: (name: string) => string
  /** The source from the place of a read on. */
  readonly path: (path: string) => string
}

function renamed(source: string, to: string, renaming: Renaming): Result<string, SyntaxIssue> {
  const before = parseExpression(source)
  if (!before.ok) return before
  if (!before.value.reads.some(renaming.isOf)) return { ok: true, value: source }
  // It parsed a moment ago: neither of the two fails here.
  const ast: ASTNode = library().environment.parse(source).ast
  const reads = findReads(ast)
  if (!reads.ok) return reads
  let text = source
  for (const { root, start } of reads.value.places.toSorted((a, b) => b.start - a.start)) {
    if (root === renaming.root) text = text.slice(0, start) + renaming.path(text.slice(start))
  }
  const after = parseExpression(text)
  if (!after.ok) return after
  const wanted = new Set(
    before.value.reads.map((read) => (renaming.isOf(read) ? renaming.name(read.name) : read.name)),
  )
  const found = after.value.reads
  if (found.length !== wanted.size || !found.every(({ name }) => wanted.has(name))) {
    const message = `'${to}' means something else in '${source}'`
    return { ok: false, error: { message, hint: 'choose another name, or rename what the expression binds' } }
  }
  return { ok: true, value: text }
}
