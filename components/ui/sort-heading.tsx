import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from './class-names'
import { Th } from './table'

/** The heading of a column by which a table can be sorted; pressed again, the other way round. */
export function SortHeading({
  sorted,
  onSort,
  className,
  children,
}: {
  sorted: 'ascending' | 'descending' | null
  onSort: () => void
  className?: string
  children: ReactNode
}) {
  const Icon = sorted === null ? ChevronsUpDown : sorted === 'ascending' ? ArrowUp : ArrowDown
  return (
    <Th className={className} {...(sorted === null ? {} : { 'aria-sort': sorted })}>
      <button
        type="button"
        onClick={onSort}
        className={cn(
          'group inline-flex items-center gap-1 rounded-sm hover:text-ink',
          sorted !== null && 'text-ink',
        )}
      >
        {children}
        <Icon aria-hidden className={cn('size-3', sorted === null && 'opacity-50 group-hover:opacity-100')} />
      </button>
    </Th>
  )
}
