import { describe, expect, it } from 'vitest'
import { EngineRun, noop, set } from '@/testing/engine-run'
import type { Entry, Event } from './event'
import { faultOfEntry } from './stored-entry'

const run = new EngineRun({ nodes: [set('a', { v: 1 }), noop('b', 'event:a.completed')] })
run.drain()
const entryOf = (type: string): Entry => run.entries.find(({ event }) => event.type === type)!
/** An entry as a disk, a hand or another version may have left it. */
const changed = (type: string, change: Partial<Event>): Entry => {
  const entry = entryOf(type)
  return { ...entry, event: { ...entry.event, ...change } }
}

describe('the door of stored entries', () => {
  it('[R-77] lets through what the engine wrote', () => {
    for (const entry of run.entries) expect(faultOfEntry(entry), entry.event.type).toBeNull()
  })

  it.each([
    ['a.started', { payload: {} }, 'its payload is damaged: gate: '],
    ['a.started', { payload: { gate: { events: [1], conditions: [] } } }, 'gate.events.0: '],
    ['a.completed', { payload: { duration_ms: '7' } }, 'its payload is damaged: duration_ms: '],
    ['a.completed', { type: 'a.exploded' }, 'there is no event a.exploded'],
    ['a.completed', { type: 'a.toString' }, 'there is no event a.toString'],
    [
      'a.completed',
      { source: { entity_type: 'task', entity_id: 'a' } },
      'its source is damaged: a task emits no a.completed',
    ],
    [
      'a.completed',
      { source: { entity_type: 'node', entity_id: 'b' } },
      "its source is damaged: 'b' emits no a.completed",
    ],
    ['a.completed', { generation: 0 }, 'its generation is damaged: 0'],
    ['a.task.started', { attempt: 1.5 }, 'its attempt is damaged: 1.5'],
    ['a.completed', { timestamp: 'noon' }, 'its timestamp is damaged: noon'],
  ] as const)('[R-77] refuses %s with %j', (type, change, fault) => {
    expect(faultOfEntry(changed(type, change))).toContain(fault)
  })

  it('[R-77] says that an event of an attempt names none', () => {
    const { attempt: _, ...event } = entryOf('a.task.started').event
    expect(faultOfEntry({ event, variables: [] })).toBe('its attempt is damaged: there is none')
  })

  it('[R-77] lets through fields of another version, also within', () => {
    const { payload } = entryOf('a.started').event
    expect(faultOfEntry(changed('a.started', { payload: { ...payload, note: 'new' } }))).toBeNull()
    const gate = { events: [], conditions: [], note: 'new' }
    expect(faultOfEntry(changed('a.started', { payload: { gate } }))).toBeNull()
  })
})
