import type { Event } from '@/core/engine/event'

/** The events of an event stream, one after the other, until it ends. */
export async function* eventsIn(stream: NonNullable<Response['body']>): AsyncGenerator<Event> {
  let text = ''
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    text += chunk
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = /^data: ?(.*)$/m.exec(text.slice(0, end))?.[1]
      text = text.slice(end + 2)
      if (data !== undefined) yield JSON.parse(data) as Event
    }
  }
}
