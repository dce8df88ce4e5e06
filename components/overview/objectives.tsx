'use client'

import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleDashed, TriangleAlert } from 'lucide-react'
import { api, problemOf, type Objectives } from '@/components/api'
import { Card } from '@/components/ui/card'
import { ErrorState, Skeleton } from '@/components/ui/states'
import { RelativeTime } from '@/components/ui/time'
import { budgetText, valueText } from './objective-text'

type Promised = Objectives['promises'][number]

const names: Record<Promised['id'], string> = {
  dag_parse: 'Checking a definition',
  state_transition: 'From an input to its being on disk',
  recovery: 'Starting again',
  availability: 'Availability',
  concurrency: 'Runs at once',
}

const windowNames = { '1h': 'Last hour', '1d': 'Last day', '30d': 'Last 30 days' } as const

/** The promises of the server beside what was measured, and what is left of the error budget. */
export function ObjectivesCard() {
  const { data, error, isPending, refetch } = useQuery(
    api.objectives.get.queryOptions({}, { refetchInterval: 60_000 }),
  )
  if (isPending) return <Skeleton className="h-64" />
  if (data === undefined)
    return (
      <ErrorState
        what="The service levels could not be loaded."
        error={problemOf(error)}
        retry={() => void refetch()}
      />
    )
  return (
    <Card title="Service levels">
      <table className="block w-full text-left sm:table">
        <thead className="max-sm:sr-only">
          <tr className="border-b border-line text-xs text-muted">
            <th scope="col" className="px-4 py-2 font-medium">
              Promise
            </th>
            {data.promises[0]?.windows.map(({ window }) => (
              <th key={window} scope="col" className="px-4 py-2 font-medium whitespace-nowrap">
                {windowNames[window]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="block sm:table-row-group">
          {data.promises.map((one) => (
            <tr
              key={one.id}
              className="grid grid-cols-3 border-b border-line px-2 py-2 last:border-0 sm:table-row sm:p-0"
            >
              <th scope="row" className="col-span-3 px-2 py-1 font-normal sm:px-4 sm:py-3">
                <span className="block font-medium">{names[one.id]}</span>
                <span className="block text-xs text-muted">{one.promise}</span>
              </th>
              {one.windows.map((measured) => (
                <Measured key={measured.window} of={one} measured={measured} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <Budget objectives={data} />
    </Card>
  )
}

function Measured({ of, measured }: { of: Promised; measured: Promised['windows'][number] }) {
  const { met, value, samples } = measured
  const [status, word, Icon] =
    met === null
      ? (['pending', 'not tested', CircleDashed] as const)
      : met
        ? (['completed', 'met', CircleCheck] as const)
        : (['failed', 'missed', TriangleAlert] as const)
  return (
    <td className="px-2 py-1 align-top sm:px-4 sm:py-3">
      <span aria-hidden className="block text-xs text-faint sm:hidden">
        {windowNames[measured.window]}
      </span>
      <span className="flex flex-wrap items-center gap-x-1.5" data-status={status}>
        <Icon aria-hidden className="status-ink size-4 shrink-0" />
        <span className="font-semibold tabular-nums">
          {value === null || samples === 0 ? '–' : valueText(of.unit, value)}
        </span>
        <span className="text-xs text-muted">{word}</span>
      </span>
    </td>
  )
}

function Budget({ objectives: { measured_since: since, error_budget: budget } }: { objectives: Objectives }) {
  const { allowed_minutes: allowed, used_minutes: used, used_percent: percent } = budget
  const bad = percent >= 75
  return (
    <div className="border-t border-line px-4 py-3">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium">Error budget</span>
        <span className="text-muted">
          {used} of {allowed} minutes without service used in 30 days
        </span>
      </p>
      <span aria-hidden className="mt-2 block h-1.5 overflow-hidden rounded-full bg-line">
        <span
          className={`block h-full ${bad ? 'bg-danger' : 'bg-accent'}`}
          style={{ width: `${Math.min(100, percent)}%` }}
        />
      </span>
      <p className="mt-2 text-xs text-muted">
        {budgetText[budget.action]}{' '}
        {since === null ? (
          'Nothing was measured yet: the first figures come within two minutes.'
        ) : (
          <>
            Measured since <RelativeTime at={since} />.
          </>
        )}
      </p>
    </div>
  )
}
