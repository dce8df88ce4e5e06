import type { Readable } from 'node:stream'
import { z } from 'zod'
import { jsonValue } from '@/core/pipeline/json-value'
import type { Json } from '@/core/engine/event'
import { boundMessage } from '@/tasks/support/task-failure'

/**
 * What the server and a worker say to each other. All of it is data: the server writes orders, the worker reports, and files are streams
 * that are named by artifact or digest. Nothing in it depends on a shared memory or disk, so a worker may be another process or
 * another machine.
 *
 * A worker claims orders, says by `begin` when all that the work needs is there, runs them and ends each with exactly one of `complete`, `fail` or `lose`. An attempt is named by its work (the
 * stable key `execution/node/generation/item`) and its token. A report with another token than the current one is refused, and so
 * is a second end.
 *
 * A worker that can vanish without a word holds a lease with a deadline, which every accepted report renews; `heartbeat` does nothing else. A
 * worker of this process has no deadline: the end of its child processes is reported at once.
 */

const count = z.number().int().min(0)

/** Which attempt a message is about. */
const attempt = { work: z.string().min(1).max(1_000), token: count }

/** Values came out of JSON, so they are JSON: walking through megabytes of them again would block the server. */
const values = z.record(z.string().max(200), z.custom<Json>())
const json: z.ZodType<Json> = jsonValue

export const logStreamSchema = z.enum(['stdout', 'stderr', 'log'])
export const nodeErrorSchema = z.strictObject({
  kind: z.string().regex(/^[a-z][a-z0-9_]{0,62}$/),
  message: z.string().transform((text) => boundMessage(text)),
  detail: z.exactOptional(json),
})
export const progressFields = {
  ratio: z.number().min(0).max(1).nullable(),
  message: z.string().max(2_000).nullable(),
}
export const outputsSchema = values

/** Asks for orders. `capacity`: attempts that the worker runs at once, those that it holds included; null: as many as there are. */
export const claimSchema = z.strictObject({ capacity: count.nullable() })

const runOrder = z.strictObject({
  type: z.literal('run'),
  ...attempt,
  task: z.string().min(1).max(200),
  /** Number of the try, from 1, and of the item where the node runs for each of a list. */
  attempt: count,
  item: count.nullable(),
  /** Resolved and validated input of the task. A file in it is a name: the worker opens it. */
  input: values,
  /** Milliseconds that the work may take from its beginning, or null. */
  timeoutMs: z.number().positive().nullable(),
  /** W3C trace context for whom the work calls. */
  traceparent: z.exactOptional(z.string().max(60)),
  /** Milliseconds within which the worker must report again, or null where its process is the lease. */
  leaseMs: count.nullable(),
})
const stopOrder = z.strictObject({
  type: z.literal('stop'),
  ...attempt,
  reason: z.enum(['cancelled', 'timeout', 'shutdown']),
})
export const orderSchema = z.discriminatedUnion('type', [runOrder, stopOrder])

export const reportSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('heartbeat'), ...attempt }),
  z.strictObject({ type: z.literal('begin'), ...attempt }),
  z.strictObject({
    type: z.literal('log'),
    ...attempt,
    /** `agoMs`: milliseconds since it was printed, of a line that comes late. */
    lines: z
      .array(
        z.strictObject({
          stream: logStreamSchema,
          text: z.string(),
          agoMs: z.exactOptional(z.int().min(0)),
        }),
      )
      .max(10_000)
      .readonly(),
  }),
  z.strictObject({ type: z.literal('progress'), ...attempt, ...progressFields }),
  z.strictObject({ type: z.literal('complete'), ...attempt, outputs: outputsSchema }),
  z.strictObject({ type: z.literal('fail'), ...attempt, error: nodeErrorSchema }),
  /** What ran the attempt has died; the attempt did not fail. */
  z.strictObject({ type: z.literal('lose'), ...attempt, reason: z.string().max(4_000) }),
])

export const receiptSchema = z.discriminatedUnion('accepted', [
  z.strictObject({ accepted: z.literal(true) }),
  z.strictObject({
    accepted: z.literal(false),
    /** `old_token`: the work goes on under another token. `unknown`: the worker holds no such attempt, or it has ended. */
    why: z.enum(['old_token', 'unknown']),
  }),
])

/** A file that the input of an attempt names: a path below the folder of files, or an artifact of its execution. */
export const openFileSchema = z.strictObject({
  ...attempt,
  /** How the input names it, for messages: `files.rows`. */
  label: z.string().max(200),
  file: z.union([z.strictObject({ path: z.string() }), z.strictObject({ artifact_id: z.string() })]),
})
export const openedFileSchema = z.strictObject({
  name: z.string(),
  bytes: count,
  /** Equal for equal content: a digest, or the path below the folder of files. */
  source: z.string(),
})

/** A file that an attempt made and that becomes an artifact. */
export const storeFileSchema = z.strictObject({
  ...attempt,
  name: z.string().min(1).max(1_000),
  contentType: z.string().min(1).max(100),
})
export const storedFileSchema = z.strictObject({
  artifact_id: z.string(),
  name: z.string(),
  content_type: z.string(),
  bytes: count,
})

export type Claim = z.infer<typeof claimSchema>
export type RunOrder = z.infer<typeof runOrder>
export type StopReason = z.infer<typeof stopOrder>['reason']
export type Order = z.infer<typeof orderSchema>
export type Report = z.infer<typeof reportSchema>
export type Receipt = z.infer<typeof receiptSchema>
export type OpenFile = z.infer<typeof openFileSchema>
export type OpenedFile = z.infer<typeof openedFileSchema>
export type StoreFile = z.infer<typeof storeFileSchema>
export type StoredFile = z.infer<typeof storedFileSchema>

/** Bytes of a file, read as often as somebody opens them. */
export type Content = { readonly bytes: number; open(): Readable }

/** An answer, or why there is none, as the error of an attempt. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: z.infer<typeof nodeErrorSchema> }

/** A worker, as it introduces itself. Workers of one pool have the same tasks and share one queue. */
export type WorkerHello = {
  readonly pool: string
  readonly tasks: readonly string[]
  /** How long the worker may be silent, in milliseconds; null where its process is the lease. */
  readonly leaseMs: number | null
  /** Attempts at once, as its claims will say; absent: it takes none before its first claim. */
  readonly capacity?: number | null
}

/** The server, as a worker sees it. */
export interface WorkerLink {
  /**
   * Resolves when there is an order: a new attempt while the worker has capacity, or the end of one that it holds. One claim at a time; a
   * new one answers the earlier one with nothing. Null: the link is closed.
   */
  claim(claim: Claim): Promise<readonly Order[] | null>
  report(report: Report): Receipt | Promise<Receipt>
  open(file: OpenFile): Promise<Answer<OpenedFile & { readonly content: Content }>>
  store(file: StoreFile, content: Content): Promise<Answer<StoredFile>>
  /** The worker leaves: what it still holds is lost. */
  close(reason: string): void
}
