import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import type { Entry, Event } from './event'
import { ruleOf } from './event-table'
import { parseInstant } from './instant'
import { faultOf } from './schema-fault'

/**
 * The door through which rows of a journal become entries that a fold may trust: what is wrong with an entry that was read, or
 * null. Checks the payload against the table of events, and that source and attempt fit the type, because an earlier version wrote
 * the row or a disk may have damaged it. Fields that the table does not know are let through: other versions may write more.
 * What the engine made itself is typed by the table and needs no check.
 */
export function faultOfEntry({ event }: Entry): string | null {
  const rule = ruleOf(event.type)
  if (rule === undefined) return `there is no event ${event.type}`
  const payload = rule.payload.safeParse(event.payload)
  if (!payload.success) {
    const wrong = payload.error.issues.filter((issue) => issue.code !== 'unrecognized_keys')
    if (wrong.length > 0) return `its payload is damaged: ${faultOf(wrong)}`
  }
  return faultOfHead(event)
}

function faultOfHead({ type, source, generation, attempt, timestamp }: Event): string | null {
  const { level, node } = eventTypeOf(type)
  if (source.entity_type !== level) return `its source is damaged: a ${source.entity_type} emits no ${type}`
  if ((level === 'node' || level === 'task') && source.entity_id !== node)
    return `its source is damaged: '${source.entity_id}' emits no ${type}`
  if (!Number.isInteger(generation) || generation < 1) return `its generation is damaged: ${generation}`
  if (level === 'task' && !(attempt !== undefined && Number.isInteger(attempt) && attempt >= 0))
    return `its attempt is damaged: ${attempt ?? 'there is none'}`
  return Number.isNaN(parseInstant(timestamp)) ? `its timestamp is damaged: ${timestamp}` : null
}
