'use client'

import type { NodeProps } from '@xyflow/react'
import { ChevronsDownUp, ChevronsUpDown } from 'lucide-react'
import { memo, useContext, type ReactNode } from 'react'
import { cn } from '@/components/ui/class-names'
import { TaskIcon } from '@/components/ui/task-icon'
import { Badges, Gate, Handles, Patch, changes, looksSame, type CardNode } from './card'
import { Distance } from './distance'
import type { DrawnGroup } from './model/drawing'
import { countsText } from './model/fold'

/** Many nodes that are alike: one card that counts them. Open, it is a frame around their cards. */
export const GroupCard = memo(function GroupCard({ data, selected }: NodeProps<CardNode>) {
  const { drawn, direction, onJoin, onOpen, ending, wrong, editable } = data
  const { group, status } = drawn
  const distant = useContext(Distance)
  if (group === undefined) return null
  if (distant && !group.open) return <Patch data={data} selected={selected} />
  const quiet = status === null || status === 'pending' || status === 'skipped'
  const handles = <Handles drawn={drawn} direction={direction} editable={editable} />
  if (group.open)
    return (
      <div
        data-group={group.ids[0]}
        className="h-full w-full rounded-xl border border-dashed border-line-strong bg-sunken"
      >
        <div className="flex h-10 items-center gap-2 px-4 text-sm">
          <span className="font-semibold">{drawn.name}</span>
          <OpenButton name={`Close ${drawn.name}`} onPress={() => onOpen?.(drawn.id)}>
            <ChevronsDownUp aria-hidden className="size-4" /> Close
          </OpenButton>
          <span className="truncate text-xs text-muted">{countsText(group)}</span>
        </div>
        {handles}
      </div>
    )
  return (
    <div
      data-group={group.ids[0]}
      data-status={status ?? 'none'}
      className={cn(
        'relative flex h-full w-full gap-2.5 rounded-lg border bg-surface py-2 pr-2 pl-3',
        'shadow-[3px_3px_0_-1px_var(--surface),3px_3px_0_0_var(--line-strong),6px_6px_0_-1px_var(--surface),6px_6px_0_0_var(--line-strong)]',
        status === null ? 'items-center' : 'items-start',
        quiet ? 'border-line-strong' : 'status-edge',
        drawn.critical && 'border-accent',
        drawn.change !== undefined && changes[drawn.change].look,
        wrong !== undefined && !selected && 'border-danger',
        selected && 'ring-2 ring-accent',
        ending === null && 'opacity-40',
      )}
    >
      {drawn.gate.length > 0 && <Gate drawn={drawn} direction={direction} onJoin={onJoin} />}
      {(drawn.stale !== null || wrong !== undefined) && <Badges drawn={drawn} wrong={wrong} />}
      <TaskIcon task={drawn.task} />
      <div className="min-w-0 flex-1">
        <div className="flex items-center gap-1">
          <span className="flex-1 truncate text-sm leading-[18px] font-semibold">{drawn.name}</span>
          <OpenButton name={`Open ${drawn.name}`} onPress={() => onOpen?.(drawn.id)}>
            <ChevronsUpDown aria-hidden className="size-3.5" /> Open
          </OpenButton>
        </div>
        <div className="truncate font-mono text-[11px] leading-4 text-faint" title={group.names.join(' … ')}>
          {data.chosen ?? `${group.names[0]} … ${group.names[1]}`}
        </div>
        <Counts group={group} />
      </div>
      {group.counts.length > 0 && <CountsBar group={group} />}
      {handles}
    </div>
  )
}, looksSame)

function OpenButton({ name, onPress, children }: { name: string; onPress: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-label={name}
      title={name}
      onClick={(event) => {
        event.stopPropagation()
        onPress()
      }}
      className="nodrag nopan pointer-events-auto flex h-[18px] shrink-0 items-center gap-0.5 rounded-sm px-1 text-[11px] font-medium text-accent hover:bg-sunken"
    >
      {children}
    </button>
  )
}

/** The states of the nodes in words, those that are done first. */
function Counts({ group }: { group: DrawnGroup }) {
  if (group.counts.length === 0) return null
  return (
    <div className="mt-0.5 truncate text-xs leading-[18px] font-medium text-muted" title={countsText(group)}>
      {countsText(group)}
    </div>
  )
}

/** The same as a bar. */
function CountsBar({ group: { counts, ids } }: { group: DrawnGroup }) {
  return (
    <span
      aria-hidden
      className="absolute inset-x-2 bottom-0 flex h-[3px] overflow-hidden rounded-full bg-line"
    >
      {counts.map(
        ({ status, count }) =>
          status !== 'pending' && (
            <span
              key={status}
              data-status={status}
              className="h-full min-w-[2px] bg-(--status)"
              style={{ width: `${(count / ids.length) * 100}%` }}
            />
          ),
      )}
    </span>
  )
}
