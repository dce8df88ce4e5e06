import type { TRPCMutationProcedure, TRPCQueryProcedure } from '@trpc/server'
import type { z } from 'zod'
import { isContent, registry } from '@/server/operations/registry'
import type { AnyOperation, Content, Operation, OperationKind } from '@/server/operations/operation'
import { whoami } from '@/server/operations/whoami'
import { allowed, procedureOf, router } from './procedures'

type Procedure<Kind, Request extends z.ZodObject, Answer> = Kind extends 'query'
  ? TRPCQueryProcedure<{ input: z.input<Request>; output: Answer; meta: unknown }>
  : TRPCMutationProcedure<{ input: z.input<Request>; output: Answer; meta: unknown }>

/** The procedures of a group of operations, by the same names; what a transport writes by itself is none. */
type Procedures<Operations> = {
  [
    Name in keyof Operations as Operations[Name] extends { readonly handle: unknown } ? Name : never
  ]: Operations[Name] extends Operation<infer Kind extends OperationKind, infer Request, infer Answer>
    ? Procedure<Kind, Request, Answer>
    : never
}

function proceduresOf<Operations extends Readonly<Record<string, AnyOperation | Content>>>(
  operations: Operations,
): Procedures<Operations> {
  const procedures: Readonly<Record<string, unknown>> = Object.fromEntries(
    Object.entries(operations).flatMap(([name, operation]) =>
      isContent(operation) ? [] : [[name, procedureOf(operation)] as const],
    ),
  )
  // Here a loop stands for what `Procedures` says of each name.
  return procedures as Procedures<Operations>
}

/** What pages call: the operations of the registry. Live data comes by the event stream, not from here. */
export const appRouter = router({
  pipelines: router(proceduresOf(registry.pipelines)),
  drafts: router(proceduresOf(registry.drafts)),
  executions: router(proceduresOf(registry.executions)),
  events: router(proceduresOf(registry.events)),
  approvals: router(proceduresOf(registry.approvals)),
  webhooks: router(proceduresOf(registry.webhooks)),
  schedules: router(proceduresOf(registry.schedules)),
  secrets: router(proceduresOf(registry.secrets)),
  pools: router(proceduresOf(registry.pools)),
  queue: router(proceduresOf(registry.queue)),
  tasks: router(proceduresOf(registry.tasks)),
  overview: router(proceduresOf(registry.overview)),
  health: router(proceduresOf(registry.health)),
  objectives: router(proceduresOf(registry.objectives)),
  session: router({
    ...proceduresOf(registry.session),
    /** Of the browser's session, which no operation knows. */
    signOut: allowed(whoami).mutation(async ({ ctx }) => {
      await ctx.signOut()
      return { signed_out: true }
    }),
  }),
})

export type AppRouter = typeof appRouter
