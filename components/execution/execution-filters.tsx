'use client'

import { useQuery } from '@tanstack/react-query'
import { ListFilter } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { useEffect, useEffectEvent, useId, useState } from 'react'
import { api, type ExecutionSummary } from '@/components/api'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import { Input, Select } from '@/components/ui/field'
import { statusText } from '@/components/ui/status'
import { writeQuery } from '@/components/ui/write-query'
import { PERIODS, STATUSES, TYPED, type ExecutionFilter, type TypedFilter } from './execution-filter'
import { SavedFilters } from './saved-filters'

export const clearFilters = () => writeQuery(new URLSearchParams())

/** Changes one filter of the address; '' removes it. */
function change(name: string, value: string): void {
  const next = new URLSearchParams(window.location.search)
  if (value === '') next.delete(name)
  else next.set(name, value)
  // A revision is a number of one pipeline.
  if (name === 'pipeline') next.delete('revision')
  writeQuery(next)
}

/** The filters of a list of runs. They are in the address; the server answers them. */
export function ExecutionFilters({
  filter,
  isFiltered,
  ofAll,
  query,
  items,
}: {
  filter: ExecutionFilter
  isFiltered: boolean
  /** The list is of all pipelines: one of them can be chosen. */
  ofAll: boolean
  /** Of the address. */
  query: string
  /** What is listed now: from it come the names and labels that are offered. */
  items: readonly ExecutionSummary[]
}) {
  const path = usePathname()
  const { status, pipeline, period, typed } = filter
  const [more, setMore] = useState(false)
  /** Text that was typed and filters nothing yet goes with the filters. */
  const [clears, setClears] = useState(0)
  const isMore =
    more || (['by', 'label', 'revision', 'over', 'under'] as const).some((name) => typed[name] !== '')
  return (
    <div key={clears} className="mb-3 flex flex-col gap-2">
      <div className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap">
        <FilterText
          name="q"
          label="Search runs"
          type="search"
          className="max-sm:col-span-2 sm:w-60"
          value={typed.q}
          placeholder="Search id, input, label, error…"
        />
        <Select
          aria-label="Status"
          className="sm:w-36"
          value={status ?? ''}
          onChange={(event) => change('status', event.target.value)}
        >
          <option value="">Any status</option>
          {STATUSES.map((each) => (
            <option key={each} value={each}>
              {each === 'open' ? 'Not ended' : each === 'failed' ? 'Failed or rejected' : statusText(each)}
            </option>
          ))}
        </Select>
        {ofAll && <PipelineSelect chosen={pipeline} onChange={(id) => change('pipeline', id)} />}
        <Select
          aria-label="Period"
          className="sm:w-36"
          value={period.value}
          onChange={(event) => change('since', event.target.value)}
        >
          {PERIODS.map((each) => (
            <option key={each.value} value={each.value}>
              {each.text}
            </option>
          ))}
        </Select>
        {!isMore && (
          <Button tone="quiet" aria-expanded={false} onClick={() => setMore(true)}>
            <ListFilter aria-hidden /> More filters
          </Button>
        )}
        {isFiltered && (
          <Button
            tone="quiet"
            onClick={() => {
              clearFilters()
              setClears(clears + 1)
              setMore(false)
            }}
          >
            Clear
          </Button>
        )}
        {ofAll && <SavedFilters path={path} query={isFiltered ? query : ''} />}
      </div>
      {isMore && <MoreFilters filter={filter} items={items} />}
    </div>
  )
}

function MoreFilters({
  filter: { pipeline, typed },
  items,
}: {
  filter: ExecutionFilter
  items: readonly ExecutionSummary[]
}) {
  const names = items.map(({ requested_by }) => requested_by)
  const labels = items.flatMap((row) => Object.entries(row.labels).map(([key, value]) => `${key}:${value}`))
  return (
    <div role="group" aria-label="More filters" className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap">
      <FilterText name="by" label="Started by" value={typed.by} offers={names} className="sm:w-44" />
      <FilterText
        name="label"
        label="Label"
        value={typed.label}
        placeholder="key:value"
        offers={labels}
        className="sm:w-44"
      />
      <FilterText
        name="over"
        label="Took at least"
        value={typed.over}
        placeholder="10m"
        className="sm:w-24"
      />
      <FilterText
        name="under"
        label="Took at most"
        value={typed.under}
        placeholder="1h"
        className="sm:w-24"
      />
      {pipeline !== '' && (
        <FilterText
          name="revision"
          label="Revision"
          value={typed.revision}
          inputMode="numeric"
          placeholder="any"
          className="sm:w-20"
        />
      )}
    </div>
  )
}

/** How long nothing is typed before the list is asked for. Milliseconds. */
const REST_MS = 300

/** A filter that is typed. What it does not take stays as it is typed, and filters nothing. */
function FilterText({
  name,
  label,
  value,
  offers = [],
  className,
  ...rest
}: {
  name: TypedFilter
  label: string
  value: string
  offers?: readonly string[]
  className?: string
  type?: 'search'
  inputMode?: 'numeric'
  placeholder?: string
}) {
  const id = useId()
  /** null: as in the address. */
  const [typed, setTyped] = useState<string | null>(null)
  const isValid = typed === null || typed.trim() === '' || TYPED[name](typed.trim())
  const apply = () => {
    if (typed === null || !isValid) return
    change(name, typed.trim())
    setTyped(null)
  }
  const applyLater = useEffectEvent(apply)
  useEffect(() => {
    if (typed === null) return
    const timer = setTimeout(() => applyLater(), REST_MS)
    return () => clearTimeout(timer)
  }, [typed])
  const input = (
    <Input
      {...rest}
      id={id}
      aria-invalid={!isValid}
      list={offers.length === 0 ? undefined : `${id}-offers`}
      autoComplete="off"
      maxLength={200}
      value={typed ?? value}
      onChange={(event) => setTyped(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply()
      }}
      {...(name === 'q' ? { 'aria-label': label, className } : {})}
    />
  )
  if (name === 'q') return input
  return (
    <div className={cn('flex flex-col gap-0.5', className)}>
      <label htmlFor={id} className="text-xs text-faint">
        {label}
      </label>
      {input}
      <datalist id={`${id}-offers`}>
        {[...new Set(offers)].map((offer) => (
          <option key={offer} value={offer} />
        ))}
      </datalist>
    </div>
  )
}

function PipelineSelect({ chosen, onChange }: { chosen: string; onChange: (id: string) => void }) {
  const { data } = useQuery(api.pipelines.list.queryOptions({ limit: 250 }, { staleTime: 60_000 }))
  return (
    <Select
      aria-label="Pipeline"
      className="max-sm:order-last max-sm:col-span-2 sm:w-52"
      value={chosen}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">All pipelines</option>
      {data?.items.map((row) => (
        <option key={row.id} value={row.id}>
          {row.name}
        </option>
      ))}
      {chosen !== '' && data?.items.every((row) => row.id !== chosen) && (
        <option value={chosen}>{chosen}</option>
      )}
    </Select>
  )
}
