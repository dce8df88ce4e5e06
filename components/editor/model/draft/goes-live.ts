import { isRecord } from '@/core/pipeline/json'
import { cronWords } from './cron-words'
import { nextFires, zoneOf } from './next-fires'

/** What starts runs once a draft is published, or does so no longer. */
export type GoesLive = {
  readonly key: string
  readonly kind: 'starts' | 'off' | 'removed'
  readonly text: string
}

type Trigger = {
  readonly id: string
  readonly type: 'cron' | 'webhook'
  readonly enabled: boolean
  readonly cron: string
  readonly timezone: unknown
}

/** A schedule as the server has it. */
type Stored = { readonly trigger_id: string; readonly active: boolean }

type Around = {
  readonly pipelineId: string
  /** The definition that is live now; null: nothing is. */
  readonly before: unknown
  readonly stored: readonly Stored[]
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * The schedules and hooks that start runs once `after` is published, then those that do so no longer. A schedule that somebody switched
 * off stays off until its definition says something else. Pure.
 */
export function goesLive(after: unknown, { pipelineId, before, stored, now }: Around): readonly GoesLive[] {
  const [olds, news] = [triggersOf(before), triggersOf(after)]
  const lines = news.map((trigger): GoesLive => {
    const { id, type } = trigger
    const old = olds.find((each) => each.id === id && each.type === type)
    const was = old !== undefined && isOn(old, old, stored)
    const is = isOn(trigger, old, stored)
    const name = nameOf(trigger)
    if (!is) {
      const how = old === undefined || was ? 'is switched off' : 'stays switched off'
      const what = type === 'cron' ? 'it starts no runs' : 'its calls are refused'
      return { key: `${type} ${id}`, kind: 'off', text: `${name} ${how}: ${what}` }
    }
    const again = old !== undefined && !was ? 'is switched on: ' : ''
    if (type === 'webhook')
      return {
        key: `${type} ${id}`,
        kind: 'starts',
        text: `${name} ${again}starts a run at each call of /hooks/${pipelineId}/${id}`,
      }
    const zone = zoneOf(trigger.timezone)
    const [next] = nextFires(trigger.cron, zone, now, 1)
    const then = next === undefined ? '' : `, next ${next}`
    return {
      key: `${type} ${id}`,
      kind: 'starts',
      text: `${name} ${again}runs ${cronWords(trigger.cron)} (${zone})${then}`,
    }
  })
  const gone = olds.filter((old) => !news.some(({ id, type }) => id === old.id && type === old.type))
  return [
    ...lines.filter(({ kind }) => kind === 'starts'),
    ...lines.filter(({ kind }) => kind === 'off'),
    ...gone.map((old): GoesLive => ({
      key: `removed ${old.type} ${old.id}`,
      kind: 'removed',
      text: `${nameOf(old)} is removed: ${old.type === 'cron' ? 'it starts no more runs' : 'its calls are refused'}`,
    })),
  ]
}

/** Whether a trigger starts runs, once this definition of it is the latest. */
function isOn({ id, type, enabled }: Trigger, old: Trigger | undefined, stored: readonly Stored[]): boolean {
  const row = type === 'cron' ? stored.find(({ trigger_id: each }) => each === id) : undefined
  return row !== undefined && old?.enabled === enabled ? row.active : enabled
}

const nameOf = ({ id, type }: Trigger): string => `${type === 'cron' ? 'Schedule' : 'Hook'} ${id}`

function triggersOf(definition: unknown): Trigger[] {
  const list = isRecord(definition) ? definition['triggers'] : undefined
  return (Array.isArray(list) ? (list as unknown[]) : []).flatMap((trigger): Trigger[] => {
    if (!isRecord(trigger) || typeof trigger['id'] !== 'string') return []
    const { id, type, enabled, cron, timezone } = trigger
    if (type !== 'cron' && type !== 'webhook') return []
    return [{ id, type, enabled: enabled !== false, cron: typeof cron === 'string' ? cron : '', timezone }]
  })
}
