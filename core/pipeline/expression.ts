import type { Result } from './json'

/** A variable that an expression may read: `pipeline.input.x` is root `pipeline.input`, variable `x`. */
export type Reference = {
  /** Full name as the scope knows it: `pipeline.input.x`, `extract.rows`, `system.started_at`. */
  name: string
  /** `pipeline.input`, `pipeline.output`, `system`, `shared` or a node id. */
  root: string
  variable: string
}

export type ExpressionError = {
  kind: 'variable_not_found' | 'expression_error'
  message: string
}

export type SyntaxIssue = {
  message: string
  hint?: string
  /** Character offset in the source. */ position?: number
}

/** A parsed CEL expression. Opaque but for its source and what it reads. */
export type Expression = {
  readonly source: string
  /** Every variable that it may read, found without evaluating. */
  readonly reads: readonly Reference[]
  /** Locals that it may read: item, index, result, error, body. */
  readonly locals: readonly string[]
}

/** Where an expression finds its variables. */
export type Scope = {
  /** By full name, `pipeline.input.x` or `a.v`. */
  lookup(name: string): { value: unknown } | undefined
  /** All names, for suggestions; only asked when something is missing. */
  names(): Iterable<string>
  locals?: Readonly<Record<string, unknown>>
}

export type Evaluated = { ok: true; value: unknown } | { ok: false; error: ExpressionError }

export declare function parseExpression(source: string): Result<Expression, SyntaxIssue>
export declare function evaluate(expression: Expression, scope: Scope): Evaluated
