import type { z } from 'zod'
import { evaluateWithin, parseExpression } from './expression'
import { evaluationBudget, openBudget } from './budget'
import type { Expression, ExpressionError, Scope, SyntaxIssue } from './expression'
import { valueAt, type Result } from '@/core/pipeline/json'

/**
 * Templates: JSON values whose strings may hold `{{ expressions }}` (N-O6).
 *
 * A string that is one `{{ expression }}` and nothing else keeps the type of its value. Text around it makes it a
 * string: whole numbers come without decimals, objects and lists as JSON. Everything else is a literal and passes unchanged. A value
 * that was put in is never looked at again: `{{ }}` in data is data.
 *
 * To write a literal `{{`, write it as text of an expression: `{{ '{{' }}`. A `}}` outside an expression is plain text.
 */

/** A JSON value whose strings may hold `{{ expressions }}`, compiled once. */
export type Template =
  | { kind: 'literal'; value: unknown }
  | { kind: 'expression'; expression: Expression }
  | { kind: 'text'; parts: readonly (string | Expression)[] }
  | { kind: 'list'; items: readonly Template[] }
  | { kind: 'map'; entries: ReadonlyMap<string, Template> }

export type TemplateIssue = SyntaxIssue & { path: (string | number)[] }

/** A piece of a text: literal, or the source between `{{` and `}}` with its place in the text. */
export type Segment = { kind: 'text'; text: string } | { kind: 'expression'; source: string; start: number }

/** Deepest nesting of a template. */
const maxTemplateDepth = 64
/** Longest text that a template renders to, in characters (R-61: one inline variable). */
const maxTextLength = 1_000_000

/**
 * Where the expression that begins after `{{` at `from` ends: the offset of its `}}`, or -1. Strings and
 * the braces of CEL maps inside it are skipped.
 */
export function findClosingBraces(text: string, from: number): number {
  let depth = 0
  for (let i = from; i < text.length; i++) {
    const c = text[i]
    if (c === '"' || c === "'") {
      const end = endOfString(text, i, c)
      if (end < 0) return -1
      i = end
    } else if (c === '{') {
      depth++
    } else if (c === '}') {
      if (depth === 0) return text[i + 1] === '}' ? i : -1
      depth--
    }
  }
  return -1
}

function endOfString(text: string, from: number, quote: string): number {
  const raw = /[rR]/.test(text[from - 1] ?? '')
  for (let i = from + 1; i < text.length; i++) {
    if (text[i] === '\\' && !raw) i++
    else if (text[i] === quote) return i
  }
  return -1
}

/** Cuts a text into its segments, or says where one is not closed. */
export function splitTemplate(text: string): Result<Segment[], SyntaxIssue> {
  const segments: Segment[] = []
  let at = 0
  for (;;) {
    const open = text.indexOf('{{', at)
    if (open < 0) break
    if (open > at) segments.push({ kind: 'text', text: text.slice(at, open) })
    const close = findClosingBraces(text, open + 2)
    if (close < 0) {
      return {
        ok: false,
        error: {
          message: "'{{' is not closed",
          hint: "close it with }}, or write {{ '{{' }} for the text",
          position: open,
        },
      }
    }
    segments.push({ kind: 'expression', source: text.slice(open + 2, close), start: open + 2 })
    at = close + 2
  }
  if (at < text.length) segments.push({ kind: 'text', text: text.slice(at) })
  return { ok: true, value: segments }
}

/** Whether a string holds an expression at all. */
export function isTemplateText(value: unknown): value is string {
  return typeof value === 'string' && value.includes('{{')
}

/** Whether a string is one expression and nothing else, and so keeps its type. */
export function isPureExpression(value: unknown): boolean {
  if (typeof value !== 'string') return false
  const trimmed = value.trim()
  return trimmed.startsWith('{{') && findClosingBraces(trimmed, 2) === trimmed.length - 2
}

/** Whether any string in the value holds an expression. */
export function containsTemplate(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return value.includes('{{')
  if (typeof value !== 'object' || value === null || depth > maxTemplateDepth) return false
  return Object.values(value).some((item) => containsTemplate(item, depth + 1))
}

/** Compiles a JSON value. Answers the template, or every issue with its path inside the value. */
export function compileTemplate(value: unknown): Result<Template, TemplateIssue[]> {
  const issues: TemplateIssue[] = []
  const template = compile(value, [], issues)
  return issues.length === 0 ? { ok: true, value: template } : { ok: false, error: issues }
}

function compile(value: unknown, path: (string | number)[], issues: TemplateIssue[]): Template {
  if (typeof value === 'string') return compileText(value, path, issues)
  if (typeof value !== 'object' || value === null) return { kind: 'literal', value }
  if (path.length >= maxTemplateDepth) {
    issues.push({ path, message: `the value is nested deeper than ${maxTemplateDepth} levels` })
    return { kind: 'literal', value: null }
  }
  const whole = Array.isArray(value)
    ? { kind: 'list' as const, items: value.map((item, i) => compile(item, [...path, i], issues)) }
    : {
        kind: 'map' as const,
        entries: new Map(
          Object.entries(value).map(([key, item]) => [key, compile(item, [...path, key], issues)] as const),
        ),
      }
  const parts = whole.kind === 'list' ? whole.items : [...whole.entries.values()]
  // A value without expressions stays as it was written; the top stays a map so that its keys can be seen.
  return path.length > 0 && parts.every((part) => part.kind === 'literal')
    ? { kind: 'literal', value }
    : whole
}

function compileText(text: string, path: (string | number)[], issues: TemplateIssue[]): Template {
  if (!text.includes('{{')) return { kind: 'literal', value: text }
  const split = splitTemplate(text.trim().startsWith('{{') && isPureExpression(text) ? text.trim() : text)
  if (!split.ok) {
    issues.push({ ...split.error, path })
    return { kind: 'literal', value: text }
  }
  const parts: (string | Expression)[] = []
  for (const segment of split.value) {
    if (segment.kind === 'text') {
      parts.push(segment.text)
      continue
    }
    const expression = parseExpression(segment.source)
    if (expression.ok) {
      parts.push(expression.value)
    } else {
      const { position, ...issue } = expression.error
      const leading = segment.source.length - segment.source.trimStart().length
      issues.push({
        ...issue,
        ...(position === undefined ? {} : { position: position + segment.start + leading }),
        path,
      })
    }
  }
  const [only] = parts
  if (parts.length === 1 && only !== undefined && typeof only !== 'string') {
    return { kind: 'expression', expression: only }
  }
  return { kind: 'text', parts }
}

class RenderFault extends Error {
  /** From the top of the template down to the expression. */
  readonly path: (string | number)[] = []

  constructor(readonly error: ExpressionError) {
    super(error.message)
  }
}

/**
 * Renders a template over a scope. Answers the value, or the first error (`variable_not_found` or `expression_error`) with its
 * path inside the template.
 * Parts without expressions are handed out as they are; callers must not change it.
 */
export function renderTemplate(
  template: Template,
  scope: Scope,
): { ok: true; value: unknown } | { ok: false; error: ExpressionError; path: (string | number)[] } {
  openBudget(evaluationBudget)
  try {
    return { ok: true, value: render(template, scope) }
  } catch (fault) {
    if (fault instanceof RenderFault) return { ok: false, error: fault.error, path: fault.path }
    throw fault
  }
}

function render(template: Template, scope: Scope): unknown {
  switch (template.kind) {
    case 'literal':
      return template.value
    case 'expression':
      return valueOf(template.expression, scope)
    case 'text': {
      let text = ''
      for (const part of template.parts) {
        text += typeof part === 'string' ? part : toText(valueOf(part, scope))
        if (text.length > maxTextLength) {
          throw new RenderFault({
            kind: 'expression_error',
            message: `the text is longer than ${maxTextLength} characters`,
          })
        }
      }
      return text
    }
    case 'list':
      return template.items.map((item, at) => renderAt(at, item, scope))
    case 'map':
      return Object.fromEntries([...template.entries].map(([key, item]) => [key, renderAt(key, item, scope)]))
  }
}

function renderAt(key: string | number, template: Template, scope: Scope): unknown {
  if (template.kind === 'literal') return template.value
  try {
    return render(template, scope)
  } catch (fault) {
    if (fault instanceof RenderFault) fault.path.unshift(key)
    throw fault
  }
}

function valueOf(expression: Expression, scope: Scope): unknown {
  const result = evaluateWithin(expression, scope)
  if (!result.ok) throw new RenderFault(result.error)
  return result.value
}

/** How a value reads inside text: strings as they are, null as nothing, lists and maps as JSON. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Every expression of a template, in the order of the text. */
export function templateExpressions(template: Template, into: Expression[] = []): Expression[] {
  switch (template.kind) {
    case 'literal':
      break
    case 'expression':
      into.push(template.expression)
      break
    case 'text':
      for (const part of template.parts) if (typeof part !== 'string') into.push(part)
      break
    case 'list':
      for (const item of template.items) templateExpressions(item, into)
      break
    case 'map':
      for (const item of template.entries.values()) templateExpressions(item, into)
  }
  return into
}

/**
 * Whether an issue at a place may go away once the expressions there are rendered: a `{{ }}` may become
 * anything, text with a `{{ }}` in it becomes some string.
 */
function dependsOnExpression(issue: z.core.$ZodIssue, root: unknown): boolean {
  if (issue.code === 'unrecognized_keys') return false
  for (let length = 0; length < issue.path.length; length++) {
    const ancestor = valueAt(root, issue.path.slice(0, length))
    if (typeof ancestor === 'string') return isTemplateText(ancestor)
  }
  const value = valueAt(root, issue.path)
  if (isPureExpression(value)) return true
  if (isTemplateText(value)) return issue.code !== 'invalid_type'
  return (
    typeof value === 'object' && value !== null && issue.code !== 'invalid_type' && containsTemplate(value)
  )
}

/**
 * Issues of a value against a schema, leaving out what only rendering can show. Members named in `verbatim` are
 * never rendered, so nothing about them is left out.
 */
export function issuesOfTemplated(
  schema: z.ZodType,
  value: unknown,
  verbatim: ReadonlySet<PropertyKey> = new Set(),
): z.core.$ZodIssue[] {
  const result = schema.safeParse(value)
  if (result.success) return []
  return result.error.issues.filter(
    (issue) => verbatim.has(issue.path[0] ?? '') || !dependsOnExpression(issue, value),
  )
}
