import { PassThrough } from 'node:stream'
import type { z } from 'zod'
import {
  claimSchema,
  nodeErrorSchema,
  openedFileSchema,
  openFileSchema,
  orderSchema,
  receiptSchema,
  reportSchema,
  storedFileSchema,
  storeFileSchema,
  type Answer,
  type Content,
  type WorkerLink,
} from '@/server/runner/worker-protocol'

/** What arrives on the other machine: text, read by the schema of the message. */
function carried<T>(schema: z.ZodType<T>, message: unknown): T {
  return schema.parse(JSON.parse(JSON.stringify(message)))
}

/** The same bytes as a stream, and nothing that says where they came from. */
function streamed({ bytes, open }: Content): Content {
  return { bytes, open: () => open().pipe(new PassThrough()) }
}

const answered = <T>(schema: z.ZodType<T>, answer: Answer<T>): Answer<T> =>
  answer.ok
    ? { ok: true, value: carried(schema, answer.value) }
    : { ok: false, error: carried(nodeErrorSchema, answer.error) }

/** A link over which only text and streams pass, as between two machines. A message that its schema refuses throws. */
export function wireLink(link: WorkerLink): WorkerLink {
  return {
    async claim(claim) {
      const orders = await link.claim(carried(claimSchema, claim))
      return orders === null ? null : orders.map((order) => carried(orderSchema, order))
    },
    report: async (report) => carried(receiptSchema, await link.report(carried(reportSchema, report))),
    async open(file) {
      const answer = await link.open(carried(openFileSchema, file))
      if (!answer.ok) return { ok: false, error: carried(nodeErrorSchema, answer.error) }
      const { content, ...about } = answer.value
      return { ok: true, value: { ...carried(openedFileSchema, about), content: streamed(content) } }
    },
    store: async (file, content) =>
      answered(storedFileSchema, await link.store(carried(storeFileSchema, file), streamed(content))),
    close: (reason) => link.close(reason),
  }
}
