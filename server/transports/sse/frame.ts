import type { Entry, Event } from '@/core/engine/event'

/** An entry as bytes for readers, serialised once for all of them. */
export type Frame = {
  readonly seq: number
  readonly type: string
  /** The whole message of a stream of one execution. */
  readonly single: Buffer
  /** The data of a message of the multiplexed stream: the event with its variable writes, to be folded. */
  readonly many: string
}

/** Each form is made when the first reader asks for it: most executions are followed in one of them. */
export function frameOf({ event, variables }: Entry): Frame {
  let json: string | null = null
  let single: Buffer | null = null
  let many: string | null = null
  const jsonOf = () => (json ??= JSON.stringify(event))
  return {
    seq: event.seq,
    type: event.type,
    get single() {
      return (single ??= Buffer.from(messageOf(event, jsonOf())))
    },
    get many() {
      return (many ??= `{"event":${jsonOf()},"variables":${JSON.stringify(variables)}}`)
    },
  }
}

/** An event as a message of the stream of its execution: `id` = seq, `event` = type, `data` = the event. */
export function messageOf(event: Event, json = JSON.stringify(event)): string {
  return `id: ${event.seq}\nevent: ${event.type}\ndata: ${json}\n\n`
}
