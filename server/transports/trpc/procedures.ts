import { initTRPC, TRPCError } from '@trpc/server'
import { ZodError } from 'zod'
import type { Principal } from '@/core/engine/principal'
import type { OperationContext } from '@/server/operations/context'
import { isDomainError, type DomainErrorCode, type RequestIssue } from '@/server/operations/domain-error'
import { issuesOf } from '@/server/operations/operation'
import { demand, INSTALLATION, type Right } from '@/server/operations/rights'
import { statuses } from '@/server/transports/statuses'

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
  errorFormatter({ shape, error, input }) {
    const cause = error.cause
    const refusal: Refusal | null = isDomainError(cause)
      ? { code: cause.code, issues: cause.issues }
      : cause instanceof ZodError
        ? { code: 'invalid_request', issues: issuesOf(cause, input) }
        : null
    const message = refusal
      ? isDomainError(cause)
        ? cause.message
        : 'The request does not fit: see the issues.'
      : error.code === 'INTERNAL_SERVER_ERROR'
        ? 'Something went wrong in the server; its log says what.'
        : shape.message
    return {
      ...shape,
      message,
      data: { code: shape.data.code, httpStatus: shape.data.httpStatus, path: shape.data.path, refusal },
    }
  },
})

export const router = t.router

/** A procedure that asks for a right before it looks at the input, and turns refusals into tRPC's codes. */
export function allowed(operation: { readonly right: Right }) {
  return t.procedure.use(async ({ ctx, next }) => {
    try {
      demand(ctx.caller, operation.right, INSTALLATION)
    } catch (error) {
      throw asTrpcError(error)
    }
    const result = await next()
    if (!result.ok && isDomainError(result.error.cause)) throw asTrpcError(result.error.cause)
    return result
  })
}

function asTrpcError(error: unknown): unknown {
  return isDomainError(error)
    ? new TRPCError({ code: statuses[error.code].trpc, message: error.message, cause: error })
    : error
}
