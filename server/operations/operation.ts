import type { Principal } from '@/core/engine/principal'
import type { z } from 'zod'
import { issuesOfSchema } from '@/core/pipeline/definition/schema-issues'
import type { OperationContext } from './context'
import { DomainError, type DomainErrorCode, type RequestIssue } from './domain-error'
import { demand, holds, INSTALLATION, resourceOf, type Resource, type Right } from './rights'

/** query: reads, so it may be repeated and cached. command: changes something, or does work that is real. */
export type OperationKind = 'query' | 'command'

/** The call of an operation in REST. Fields of the request that stand neither in the path nor in the query are the body. */
export type RestCall = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below `/api/v1`, with parameters as `:name`; each is a field of the request. */
  readonly path: string
  /** Of success; 200 unless it says otherwise, and 204 where the answer is null. */
  readonly status?: number
  /** Fields in the query of a call that has a body. A GET has all of its fields there. */
  readonly query?: readonly string[]
  /** The body may be as large as a definition. */
  readonly largeBody?: boolean
  /** The body may name the idempotency key as well as the header. */
  readonly keyInBody?: boolean
  /** The work ends when the caller goes away. */
  readonly endsWithCaller?: boolean
  /** Answers HEAD as well: 200 or 404 without a body. */
  readonly head?: boolean
  /** `Accept: application/yaml` gets the field `yaml` of the answer. */
  readonly yaml?: boolean
  /** What the transport itself can do with this call, besides answering it. */
  readonly variants?: {
    /** Fields of the query that the operation does not see. */
    readonly query: z.ZodObject
    readonly answers: readonly RestAnswer[]
  }
}

/** One kind of success of a REST call. `schema` describes the JSON, or the `data` of each event of a stream. */
export type RestAnswer = {
  readonly status: number
  readonly type: string
  readonly schema: z.ZodType
  readonly description: string
}

/** The right depends on the request. */
export type RightByRequest<Request> = {
  /** The rights that it may come to, the least first. */
  readonly among: readonly [Right, ...Right[]]
  readonly description: string
  readonly of: (ctx: OperationContext, request: Request) => Right | Promise<Right>
}

/** What every operation says of itself, whatever its types are. */
export type OperationDescription = {
  readonly kind: OperationKind
  /** In one line, for lists. */
  readonly summary: string
  /** The rights of which it demands one: a single one unless that depends on the request. */
  readonly rights: readonly [Right, ...Right[]]
  readonly rightDescription: string | null
  readonly rest: RestCall | null
  readonly request: z.ZodObject
  /** Refusals besides those that follow from how it is called. */
  readonly errors: readonly DomainErrorCode[]
}

/** An operation of any types: reads the fields by its schema, authorises, runs. */
export type AnyOperation = OperationDescription & {
  readonly answer: z.ZodType
  readonly example: { readonly request: object; readonly answer: unknown }
  /** `fields` are not checked yet. @throws DomainError */
  readonly handle: (
    ctx: OperationContext,
    caller: Principal,
    fields: unknown,
    signal?: AbortSignal,
  ) => Promise<unknown>
}

/**
 * A use-case: authorise, call, answer. Every transport calls it with a request that its schema describes, so the right and
 * the shape are checked here and nowhere else.
 */
export type Operation<Kind extends OperationKind, Request extends z.ZodObject, Answer> = Omit<
  AnyOperation,
  'kind' | 'request'
> & {
  /**
   * Authorises, then runs. `request` has passed `request` (or `parseRequest`) of this operation. `signal`: the caller has gone away,
   * which ends the work of those operations that say so.
   */
  (
    ctx: OperationContext,
    caller: Principal,
    request: z.output<Request>,
    signal?: AbortSignal,
  ): Promise<Answer>
  readonly kind: Kind
  readonly request: Request
}

/** As an answer may be given: what the schema describes, to be read only. */
export type Answered<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends readonly (infer Item)[]
      ? readonly Answered<Item>[]
      : { readonly [Key in keyof T]: Answered<T[Key]> }

type Run<Request extends z.ZodObject, Answer> = (
  ctx: OperationContext,
  caller: Principal,
  request: z.output<Request>,
  signal?: AbortSignal,
) => Promise<Answer>

/**
 * Declares an operation; without a right it does not compile, without the right it does not run. The answer of `run` has to fit the
 * schema `answer`; pages get its exact type.
 */
export function operation<
  Kind extends OperationKind,
  Request extends z.ZodObject,
  Schema extends z.ZodType,
  Answer extends Answered<z.output<Schema>>,
>(declaration: {
  readonly kind: Kind
  readonly summary: string
  readonly right: Right | RightByRequest<z.output<Request>>
  readonly rest: RestCall | null
  readonly request: Request
  readonly answer: Schema
  readonly errors?: readonly DomainErrorCode[]
  readonly example: { readonly request: z.input<Request>; readonly answer: Answered<z.output<Schema>> }
  readonly run: Run<Request, Answer>
}): Operation<Kind, Request, Answer> {
  const { kind, summary, right, rest, request, answer, errors = [], example, run } = declaration
  const call: Run<Request, Answer> = async (ctx, caller, parsed, signal) => {
    demand(caller, typeof right === 'string' ? right : await right.of(ctx, parsed), resourceOf(parsed))
    return run(ctx, caller, parsed, signal).catch((error: unknown) => {
      throw isDamage(error) ? new DomainError('set_apart', damageMessage(error)) : error
    })
  }
  return Object.assign(call, {
    kind,
    summary,
    ...rightsOf(right),
    rest,
    request,
    answer,
    errors,
    example,
    handle: async (ctx: OperationContext, caller: Principal, fields: unknown, signal?: AbortSignal) => {
      demandAny(caller, rightsOf(right).rights, INSTALLATION)
      return call(ctx, caller, parseRequest(request, fields), signal)
    },
  })
}

function rightsOf(
  right: Right | Pick<RightByRequest<never>, 'among' | 'description'>,
): Pick<OperationDescription, 'rights' | 'rightDescription'> {
  return typeof right === 'string'
    ? { rights: [right], rightDescription: null }
    : { rights: right.among, rightDescription: right.description }
}

/** Whether the caller holds one of the rights. */
export function holdsAny(
  caller: Pick<Principal, 'roles'>,
  rights: OperationDescription['rights'],
  resource: Resource,
): boolean {
  return rights.some((right) => holds(caller, right, resource))
}

/**
 * Refuses a caller who holds none of the rights of an operation before anything of the request is read.
 * @throws DomainError `forbidden`
 */
export function demandAny(
  caller: Principal,
  rights: OperationDescription['rights'],
  resource: Resource,
): void {
  if (!holdsAny(caller, rights, resource)) demand(caller, rights[0], resource)
}

/** A call whose answer the transport writes by itself: a stream or a file. */
export type Content = OperationDescription & {
  readonly kind: 'query'
  readonly rest: RestCall
  readonly content: RestAnswer & { readonly example: unknown }
}

/** Declares such a call. Its right is demanded before the request is read. */
export function content<Request extends z.ZodObject>(
  declaration: Omit<Content, 'kind' | 'rights' | 'rightDescription' | 'request'> & {
    readonly right: Right
    readonly request: Request
  },
): Omit<Content, 'request'> & { readonly request: Request } {
  const { right, ...rest } = declaration
  return { ...rest, kind: 'query', ...rightsOf(right) }
}

/** A store found a row of one execution that cannot be read: no defect of the call, and every other execution goes on [T15]. */
const isDamage = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'row_damaged'

const damageMessage = ({ message }: Error) =>
  `The journal of this execution cannot be read: ${message}. Fork the execution from an earlier seq to go on.`

/**
 * Checks an untrusted request against a schema.
 * @throws DomainError `invalid_request` with every issue at once; an unknown field is an issue of its own.
 */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, request: unknown): z.output<Schema> {
  const parsed = schema.safeParse(request)
  if (parsed.success) return parsed.data
  throw new DomainError('invalid_request', 'The request is not valid: see the issues.', [
    ...issuesOf(parsed.error, request, schema),
  ])
}

/** The issues of a request, the first hundred; `schema` gives the names that a hint may suggest. */
function issuesOf(error: z.core.$ZodError, request: unknown, schema: z.ZodType): RequestIssue[] {
  return issuesOfSchema(error.issues.slice(0, 100), schema, request)
}
