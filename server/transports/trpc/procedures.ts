import type { Principal } from '@/core/engine/principal'
import { initTRPC, TRPCError } from '@trpc/server'
import type { OperationContext } from '@/server/operations/context'
import { isDomainError, type DomainErrorCode, type RequestIssue } from '@/server/operations/domain-error'
import { demandAny, type AnyOperation } from '@/server/operations/operation'
import { statuses } from '@/server/transports/statuses'
import { INSTALLATION } from '@/server/operations/rights'

/** What every procedure works with: the ports, and who asks. */
export type TrpcContext = {
  readonly operations: OperationContext
  readonly caller: Principal
  /** Ends the caller's session and takes the cookie back; nothing for a token. */
  readonly signOut: () => Promise<void>
}

type Refusal = { readonly code: DomainErrorCode; readonly issues: readonly RequestIssue[] }

const t = initTRPC.context<TrpcContext>().create({
  isDev: false,
  // A refusal reaches the page with the same words as REST; a defect without its insides.
  errorFormatter({ shape, error }) {
    const cause = error.cause
    const refusal: Refusal | null = isDomainError(cause) ? { code: cause.code, issues: cause.issues } : null
    return {
      ...shape,
      message: messageOf(cause, error.code, shape.message),
      data: { code: shape.data.code, httpStatus: shape.data.httpStatus, path: shape.data.path, refusal },
    }
  },
})

function messageOf(cause: unknown, code: TRPCError['code'], message: string): string {
  if (isDomainError(cause)) return cause.message
  return code === 'INTERNAL_SERVER_ERROR'
    ? 'Something went wrong in the server; its log has the details.'
    : message
}

export const router = t.router

/** A procedure that asks for a right before it looks at the input, and turns refusals into tRPC's codes. */
export function allowed(operation: Pick<AnyOperation, 'rights'>) {
  return t.procedure.use(async ({ ctx, next }) => {
    try {
      demandAny(ctx.caller, operation.rights, INSTALLATION)
    } catch (error) {
      throw asTrpcError(error)
    }
    const result = await next()
    if (!result.ok && isDomainError(result.error.cause)) throw asTrpcError(result.error.cause)
    return result
  })
}

/** An operation as a procedure. The operation reads the input by its own schema: it is not read twice. */
export function procedureOf(operation: AnyOperation) {
  const procedure = allowed(operation).input((input: unknown) => input)
  const { handle, kind } = operation
  return kind === 'query'
    ? procedure.query(({ ctx, input, signal }) => handle(ctx.operations, ctx.caller, input, signal))
    : procedure.mutation(({ ctx, input, signal }) => handle(ctx.operations, ctx.caller, input, signal))
}

function asTrpcError(error: unknown): unknown {
  return isDomainError(error)
    ? new TRPCError({ code: statuses[error.code].trpc, message: error.message, cause: error })
    : error
}
