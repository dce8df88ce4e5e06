import type { ASTNode } from '@marcbachmann/cel-js'
import { parseExpression, type SyntaxIssue } from './expression'
import { environment } from './expression-functions'
import { findReads } from './expression-reads'
import type { Result } from './json'

/**
 * An expression in which every variable of one node is a variable of another: `from.rows > 1` becomes `to.rows > 1`. Names in
 * texts and names that a macro binds stay. Answers an issue when the source does not parse, or when `to` would mean something else
 * in it (a macro binds it, or it is a word of the language).
 */
export function renameRead(source: string, from: string, to: string): Result<string, SyntaxIssue> {
  const before = parseExpression(source)
  if (!before.ok) return before
  if (!before.value.reads.some(({ root }) => root === from)) return { ok: true, value: source }
  // It parsed a moment ago: neither of the two fails here.
  const ast: ASTNode = environment.parse(source).ast
  const reads = findReads(ast)
  if (!reads.ok) return reads
  let text = source
  for (const { root, start } of reads.value.places.toSorted((a, b) => b.start - a.start)) {
    if (root === from) text = text.slice(0, start) + to + text.slice(start + from.length)
  }
  const after = parseExpression(text)
  if (!after.ok) return after
  const wanted = new Set(
    before.value.reads.map(({ name, root }) => (root === from ? to + name.slice(from.length) : name)),
  )
  const found = after.value.reads
  if (found.length !== wanted.size || !found.every(({ name }) => wanted.has(name))) {
    const message = `'${to}' means something else in '${source}'`
    return { ok: false, error: { message, hint: 'choose another name, or rename what the expression binds' } }
  }
  return { ok: true, value: text }
}
