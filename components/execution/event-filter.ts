import type { Event } from '@/core/engine/event'
import { eventNameOf, isExternal } from '@/core/pipeline/gate/event-type'

/** Rows that are laid out at once: a run may have many thousands of events. */
const PAGE_SIZE = 200

/** The events whose type or actor has every word of `text`, of one level (''; all). Case does not matter. */
export function filterEvents(events: readonly Event[], text: string, level: string): readonly Event[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return events.filter(({ type, actor, source }) => {
    if (level !== '' && source.entity_type !== level) return false
    const own = `${type} ${actor ?? ''}`.toLowerCase()
    return words.every((word) => own.includes(word))
  })
}

export type EventPage = {
  readonly shown: readonly Event[]
  /** From 0. */
  readonly page: number
  readonly pages: number
}

/** One page of events. `wanted`: null for the last, which is where new events come; a page that does not exist is the last too. */
export function pageOfEvents(events: readonly Event[], wanted: number | null): EventPage {
  const pages = Math.max(1, Math.ceil(events.length / PAGE_SIZE))
  const page = Math.min(wanted ?? pages - 1, pages - 1)
  return { shown: events.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE), page, pages }
}

/** The text colour of an event, by what it reports. */
export function eventTone(type: string): string {
  const name = eventNameOf(type)
  if (/\b(?:completed|approved)$/.test(name)) return 'text-completed'
  if (/\brejected$/.test(name)) return 'text-rejected'
  if (/\b(?:failed|timeout)$/.test(name)) return 'text-failed'
  if (/\bwaiting$/.test(name)) return 'text-waiting'
  return isExternal(type) ? 'text-accent' : 'text-ink'
}
