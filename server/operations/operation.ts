import { z } from 'zod'
import type { Principal } from '@/core/engine/principal'
import { issuesOfSchema } from '@/core/pipeline/definition/schema-issues'
import type { OperationContext } from './context'
import { DomainError, type RequestIssue } from './domain-error'
import { demand, resourceOf, type Right } from './rights'

/**
 * A use-case: authorise, call, answer. Every transport calls it with a request that its schema describes, so the right and
 * the shape are checked here and nowhere else.
 */
export type Operation<Request extends z.ZodObject, Answer> = {
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
  readonly right: Right
  readonly request: Request
}

/** Declares an operation; without a right it does not compile, without the right it does not run. */
export function operation<Request extends z.ZodObject, Answer>(declaration: {
  readonly right: Right
  readonly request: Request
  readonly run: (
    ctx: OperationContext,
    caller: Principal,
    request: z.output<Request>,
    signal?: AbortSignal,
  ) => Promise<Answer>
}): Operation<Request, Answer> {
  const call = async (
    ctx: OperationContext,
    caller: Principal,
    request: z.output<Request>,
    signal?: AbortSignal,
  ): Promise<Answer> => {
    demand(caller, declaration.right, resourceOf(request))
    return declaration.run(ctx, caller, request, signal).catch((error: unknown) => {
      throw isDamage(error) ? new DomainError('set_apart', damageToTell(error)) : error
    })
  }
  return Object.assign(call, { right: declaration.right, request: declaration.request })
}

/** A store found a row of one run that cannot be read: no defect of the call, and every other run goes on [T15]. */
const isDamage = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'row_damaged'

const damageToTell = ({ message }: Error) =>
  `The journal of this run cannot be read: ${message}. A fork can take over what was before that.`

/**
 * Checks an untrusted request against a schema.
 * @throws DomainError `invalid_request` with every issue at once; an unknown field is an issue of its own.
 */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, request: unknown): z.output<Schema> {
  const parsed = schema.safeParse(request)
  if (parsed.success) return parsed.data
  throw new DomainError(
    'invalid_request',
    'The request does not fit: see the issues.',
    issuesOf(parsed.error, request, schema),
  )
}

/** The issues of a request in the words of all others; only who knows its schema can say what was meant. */
export function issuesOf(
  error: z.core.$ZodError,
  request: unknown,
  schema: z.ZodType = z.unknown(),
): RequestIssue[] {
  return issuesOfSchema(error.issues.slice(0, 100), schema, request)
}
