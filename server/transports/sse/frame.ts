import type { Entry } from '@/core/engine/event'

/** An entry as bytes for readers, serialised once for all of them. */
export type Frame = {
  readonly seq: number
  readonly type: string
  /** The whole message of a stream of one execution: `id` = seq, `event` = type, `data` = the event. */
  readonly single: Buffer
  /** The data of a message of the multiplexed stream: the event with its variable writes, to be folded. */
  readonly many: string
}

export function frameOf(entry: Entry): Frame {
  const { event, variables } = entry
  const json = JSON.stringify(event)
  return {
    seq: event.seq,
    type: event.type,
    single: Buffer.from(`id: ${event.seq}\nevent: ${event.type}\ndata: ${json}\n\n`),
    many: `{"event":${json},"variables":${JSON.stringify(variables)}}`,
  }
}
