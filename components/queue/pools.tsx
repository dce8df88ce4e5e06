'use client'

import { useQuery } from '@tanstack/react-query'
import { Pencil, Plus } from 'lucide-react'
import { useState } from 'react'
import { api, problemOf, useMay, type Pool } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { ErrorState, SkeletonRows } from '@/components/ui/states'
import { amountText, poolText } from '@/core/pipeline/definition/pool-text'
import { PoolDialog } from './pool-dialog'
import { PoolHolders } from './pool-holders'

/** How much there is of each pool, and how much of it is in use. An admin sets it here. */
export function Pools() {
  const { data, error, isPending, refetch } = useQuery(api.pools.list.queryOptions({}))
  const may = useMay('administer')
  const [edited, setEdited] = useState<Pool | 'new' | null>(null)
  return (
    <Card
      title="Pools"
      action={
        may && (
          <Button size="small" onClick={() => setEdited('new')}>
            <Plus aria-hidden /> New pool
          </Button>
        )
      }
    >
      {isPending ? (
        <SkeletonRows rows={4} />
      ) : error !== null ? (
        <ErrorState
          what="The pools could not be loaded."
          error={problemOf(error)}
          retry={() => void refetch()}
        />
      ) : (
        <ul>
          {data.items.toSorted(byKind).map((pool) => (
            <Row key={pool.name} pool={pool} edit={may && !pool.fixed ? () => setEdited(pool) : null} />
          ))}
        </ul>
      )}
      <PoolDialog key={keyOf(edited)} pool={edited} onClose={() => setEdited(null)} />
    </Card>
  )
}

/** Those that every server has come first, then named ones, then those of worker groups. */
const kindOf = ({ name, usual_capacity, fixed }: Pool): number =>
  usual_capacity !== null || fixed ? 0 : name.includes('.') ? 2 : 1
const byKind = (a: Pool, b: Pool): number => kindOf(a) - kindOf(b)

const keyOf = (edited: Pool | 'new' | null): string =>
  edited === null ? '' : edited === 'new' ? 'a new one' : `pool ${edited.name}`

function Row({ pool, edit }: { pool: Pool; edit: (() => void) | null }) {
  const { name, capacity, in_use, waiting, exists } = pool
  const [open, setOpen] = useState(false)
  const share = capacity === null || capacity === 0 ? 0 : Math.min(1, in_use / capacity)
  const full = capacity !== null && waiting > 0 && in_use >= capacity
  return (
    <li className="border-b border-line px-4 py-3 last:border-b-0">
      <div className="grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-2 sm:grid-cols-[minmax(8rem,14rem)_1fr_auto]">
        <div className="min-w-0">
          <p className="truncate font-medium">{titleOf(name)}</p>
          <p className="truncate text-xs text-faint">{noteOf(pool)}</p>
        </div>
        <div className="col-span-2 row-start-2 min-w-0 sm:col-span-1 sm:row-start-auto">
          <div className="flex items-baseline gap-2 text-xs text-muted">
            <span className="tabular-nums">
              <span className="text-sm font-semibold text-ink">{amountText(name, in_use)}</span>
              {capacity === null ? ' in use' : ` of ${amountText(name, capacity)}`}
            </span>
            {waiting > 0 && (
              <span data-status="queued" className="status-ink ml-auto font-medium">
                wanted by {waiting} waiting
              </span>
            )}
          </div>
          <span aria-hidden className="mt-1 block h-1.5 overflow-hidden rounded-full bg-line">
            <span
              className={`block h-full transition-[width] duration-200 ${full || !exists ? 'bg-danger' : 'bg-accent'}`}
              style={{ width: `${share * 100}%` }}
            />
          </span>
        </div>
        <div className="flex items-center gap-1">
          <Button
            tone="quiet"
            size="small"
            aria-expanded={open}
            disabled={in_use === 0 && !open}
            onClick={() => setOpen(!open)}
          >
            {open ? 'Hide holders' : 'Who holds it'}
          </Button>
          {edit !== null && (
            <Button tone="quiet" size="icon" aria-label={`Change ${name}`} onClick={edit}>
              <Pencil aria-hidden />
            </Button>
          )}
        </div>
      </div>
      {open && <PoolHolders name={name} />}
    </li>
  )
}

/** Pools that the server has by itself have a name in words. */
function titleOf(name: string): string {
  const text = poolText(name)
  if (text.startsWith('pool ')) return name
  return text
    .replace(/^[cg]pu/, (word) => word.toUpperCase())
    .replace(/^[a-z]/, (letter) => letter.toUpperCase())
}

const UNITS = { slots: 'attempts at once', cores: 'cores', bytes: '', gpus: 'GPUs', units: 'units' }

function noteOf({ unit, usual_capacity, capacity, exists, fixed, name }: Pool): string {
  if (!exists) return 'does not exist, and nodes demand it'
  if (fixed) return 'set by PENSTOCK_MAX_CHILD_PROCESSES'
  const usual = usual_capacity !== null && usual_capacity !== capacity
  return `${UNITS[unit]}${usual ? `, usually ${amountText(name, usual_capacity)}` : ''}`
}
