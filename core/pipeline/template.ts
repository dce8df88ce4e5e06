import type { Expression, ExpressionError, Reference, Scope, SyntaxIssue } from './expression'
import type { Result } from './json'

/** A JSON value whose strings may hold `{{ expressions }}`, compiled once. */
export type Template =
  | { kind: 'literal'; value: unknown }
  | { kind: 'expression'; expression: Expression }
  | { kind: 'text'; parts: readonly (string | Expression)[] }
  | { kind: 'list'; items: readonly Template[] }
  | { kind: 'map'; entries: ReadonlyMap<string, Template> }

export type TemplateIssue = SyntaxIssue & { path: (string | number)[] }

export declare function compileTemplate(value: unknown): Result<Template, TemplateIssue[]>
export declare function renderTemplate(
  template: Template,
  scope: Scope,
): { ok: true; value: unknown } | { ok: false; error: ExpressionError }
export declare function templateReads(template: Template): Reference[]
