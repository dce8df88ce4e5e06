/** A variable that an expression may read: `pipeline.input.x` is root `pipeline.input`, variable `x`. */
export type Reference = {
  /** Full name as the scope knows it: `pipeline.input.x`, `extract.rows`, `system.started_at`. */
  name: string
  /** `pipeline.input`, `pipeline.output`, `system`, `shared` or a node id. */
  root: string
  variable: string
}

/** Kinds are persisted words of the error of a node. */
export type ExpressionError = {
  kind: 'variable_not_found' | 'expression_error'
  message: string
}

export type SyntaxIssue = {
  message: string
  hint?: string
  /** Character offset in the source. */
  position?: number
}

/** A parsed CEL expression. `reads` and `locals` are found without evaluating. */
export type Expression = {
  readonly source: string
  /** Every variable that it may read, each once. */
  readonly reads: readonly Reference[]
  /** Locals that it may read: item, index, result, error, body. */
  readonly locals: readonly string[]
  /** What it reads of them, one name deep: `error.kind`. */
  readonly members: readonly string[]
  /** What it yields where that is certain: `bool`, `int`, `string`, …; `dyn` otherwise. */
  readonly type: string
  /** Runs it over a context of null-prototype objects. Throws what CEL throws. */
  readonly run: (context: Record<string, unknown>) => unknown
}

export type Found = {
  value: unknown
  /** Of a large value: its size as JSON, which is what handing it on costs. */
  bytes?: number
  /** Why the value of a variable that exists cannot be had; its value is then undefined. */
  lost?: string
}

/** Where an expression finds its variables. */
export type Scope = {
  /** By full name, `pipeline.input.x` or `a.v`. */
  lookup(name: string): Found | undefined
  /** All names, for suggestions; only asked when something is missing. */
  names(): Iterable<string>
  locals?: Readonly<Record<string, unknown>>
}

export type Evaluated = { ok: true; value: unknown } | { ok: false; error: ExpressionError }
