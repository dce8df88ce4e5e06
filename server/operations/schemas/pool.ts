import { z } from 'zod'
import { formatInstant } from '@/core/engine/instant'
import { GROUP_POOLS, partsOfPool } from '@/core/pipeline/definition/demand'
import type { NamedPool } from '@/server/orchestrator/contract'
import type { PoolRow } from '@/server/ports/pools'
import { count, instantText, principalId } from './json'

/** How a pool stands, and who set it. */
export const pool = z
  .strictObject({
    name: z.string(),
    worker_group: z.string(),
    unit: z.enum(['slots', 'cores', 'bytes', 'gpus', 'units']),
    capacity: z.number().nullable().meta({ description: 'null: there is no limit.' }),
    usual_capacity: z.number().nullable().meta({
      description: 'What it has unless somebody sets it; null: it exists only because somebody made it.',
    }),
    in_use: z.number(),
    waiting: count.meta({ description: 'Nodes that wait and demand some of it.' }),
    exists: z
      .boolean()
      .meta({ description: 'false: nobody made it, or it was removed, and nodes still demand it.' }),
    fixed: z.boolean().meta({ description: 'It is a setting of the server, and cannot be set here.' }),
    updated_at: instantText.nullable(),
    updated_by: z.string().nullable(),
    updated_by_id: principalId,
  })
  .meta({ id: 'Pool' })

export const examplePool = {
  name: 'warehouse',
  worker_group: 'default',
  unit: 'units',
  capacity: 4,
  usual_capacity: null,
  in_use: 1,
  waiting: 0,
  exists: true,
  fixed: false,
  updated_at: '2026-01-30T08:00:00.000Z',
  updated_by: 'ada',
  updated_by_id: 'usr_01jdw3q8',
} as const

const UNITS = { slots: 'slots', cpu: 'cores', memory: 'bytes', gpu: 'gpus' } as const
const isUnit = (name: string): name is keyof typeof UNITS => GROUP_POOLS.includes(name)

/** In what a pool is counted. */
export function unitOf(name: string): 'slots' | 'cores' | 'bytes' | 'gpus' | 'units' {
  const { pool: own } = partsOfPool(name)
  return isUnit(own) ? UNITS[own] : 'units'
}

/** Pools that the settings of the server alone decide. */
export const isFixed = (name: string): boolean => name === 'children'

export function poolAnswer(state: NamedPool, row: PoolRow | undefined): z.output<typeof pool> {
  const { name, exists, capacity, usual, used, waiting } = state
  return {
    name,
    worker_group: partsOfPool(name).group,
    unit: unitOf(name),
    capacity,
    usual_capacity: usual === Infinity ? null : usual,
    in_use: used,
    waiting,
    exists,
    fixed: isFixed(name),
    updated_at: row === undefined ? null : formatInstant(row.updatedAt),
    updated_by: row?.updatedBy ?? null,
    updated_by_id: row?.updatedById ?? null,
  }
}
