import type { Entry } from '@/core/engine/event'
import { parseInstant } from '@/core/engine/instant'

/** What happened in which order and when, in lines that can be compared: type, item, attempt, milliseconds from the start. */
export function orderOf(entries: readonly Entry[]): string[] {
  const start = parseInstant(entries[0]!.event.timestamp)
  return entries
    .filter(({ event }) => !event.type.endsWith('.task.running'))
    .map(({ event: { type, item, attempt, timestamp } }) => {
      const which = `${item === undefined ? '' : ` item ${item}`}${attempt === undefined ? '' : ` #${attempt}`}`
      return `${type}${which} at ${parseInstant(timestamp) - start}`
    })
}
