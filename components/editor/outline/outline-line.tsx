'use client'

import { CircleAlert, Info, Plus, TriangleAlert } from 'lucide-react'
import { useRef, useState } from 'react'
import type { Problem } from '@/components/editor/model/problems/problem-list'
import { cn } from '@/components/ui/class-names'
import { TaskIcon } from '@/components/ui/task-icon'
import { NODE_COLUMN, STARTS_COLUMN, type CellField } from '@/components/editor/model/outline/outline-keys'
import { gateOf, nameOf, taskOf, type OutlineRow } from '@/components/editor/model/outline/outline-rows'
import { startInWords } from '@/components/editor/model/outline/start-words'

/** The columns of the grid, shared by header and rows. */
export const tracks =
  'grid min-w-[700px] grid-cols-[minmax(210px,1.4fr)_minmax(92px,0.6fr)_140px_minmax(170px,1.3fr)_80px]'

/** Deeper levels are not indented further; `aria-level` has their number. */
const MOST_INDENTED = 8

/** One node as a row: its name, id and task, its start condition and its problems. */
export function OutlineLine({
  row,
  index,
  cellId,
  active,
  selected,
  editing,
  problems,
  on,
}: {
  row: OutlineRow
  /** From 0. */
  index: number
  cellId: (column: number) => string
  /** The column of the cell that has the focus; null: it is in another row. */
  active: number | null
  selected: boolean
  editing: CellField | null
  problems: readonly Problem[]
  on: {
    readonly choose: (column: number) => void
    readonly edit: (field: CellField) => void
    /** Editing ended with this text, or null when nothing changed. `back`: the grid gets the focus. */
    readonly end: (field: CellField, text: string | null, back: boolean) => void
    readonly waitFor: () => void
  }
}) {
  const { fields, level } = row
  const cell = (column: number, look?: string) => ({
    id: cellId(column),
    role: 'gridcell',
    'aria-colindex': column + 1,
    onClick: () => on.choose(column),
    className: cn(
      'flex min-w-0 items-center gap-2 px-3',
      active === column &&
        'group-focus-visible/grid:outline-2 group-focus-visible/grid:-outline-offset-2 group-focus-visible/grid:outline-accent',
      look,
    ),
  })
  return (
    <div
      role="row"
      aria-level={level + 1}
      aria-rowindex={index + 2}
      aria-selected={selected}
      data-row={row.id}
      className={cn(
        'group/row h-9 border-b border-line',
        tracks,
        selected ? 'bg-accent-soft' : 'hover:bg-sunken',
      )}
    >
      <div
        {...cell(NODE_COLUMN)}
        onDoubleClick={() => on.edit('name')}
        style={{ paddingLeft: 12 + 8 * Math.min(level, MOST_INDENTED) }}
      >
        <TaskIcon task={taskOf(fields)} className="size-6 [&_svg]:size-3.5" />
        {editing === 'name' ? (
          <InPlace
            label={`Name of ${row.id}`}
            text={typeof fields['name'] === 'string' ? fields['name'] : ''}
            onEnd={(text, back) => on.end('name', text, back)}
          />
        ) : (
          <span className="truncate font-medium">{nameOf(fields)}</span>
        )}
      </div>
      <div {...cell(1, 'font-mono text-xs text-muted')}>
        <span className="truncate">{row.id}</span>
      </div>
      <div {...cell(2, 'font-mono text-xs text-muted')}>
        <span className="truncate">{taskOf(fields)}</span>
      </div>
      <div {...cell(STARTS_COLUMN, 'pr-1')} onDoubleClick={() => on.edit('startWhen')}>
        {editing === 'startWhen' ? (
          <InPlace
            mono
            label={`Start condition of ${row.id}`}
            text={gateOf(fields)}
            onEnd={(text, back) => on.end('startWhen', text, back)}
          />
        ) : (
          <StartCell id={row.id} gate={gateOf(fields)} selected={selected} onWait={on.waitFor} />
        )}
      </div>
      <div {...cell(4)}>
        <Marks problems={problems} />
      </div>
    </div>
  )
}

/** A start condition in words, and the button that adds an event to it. */
function StartCell({
  id,
  gate,
  selected,
  onWait,
}: {
  id: string
  gate: string
  selected: boolean
  onWait: () => void
}) {
  const words = startInWords(gate)
  return (
    <>
      <span title={gate} className={cn('truncate', words === null && 'text-danger')}>
        {words ?? `cannot be read: ${gate}`}
      </span>
      <button
        type="button"
        tabIndex={-1}
        aria-label={`Let ${id} wait for…`}
        title="Wait for… (Space)"
        // The grid keeps the focus.
        onMouseDown={(event) => event.preventDefault()}
        onClick={onWait}
        className={cn(
          'ml-auto grid size-6 shrink-0 place-items-center rounded-md text-faint opacity-0 group-hover/row:opacity-100 hover:bg-sunken hover:text-ink',
          selected && 'opacity-100',
        )}
      >
        <Plus aria-hidden className="size-3.5" />
      </button>
    </>
  )
}

const signs = {
  error: { icon: CircleAlert, ink: 'text-danger' },
  warning: { icon: TriangleAlert, ink: 'text-warning' },
  info: { icon: Info, ink: 'text-muted' },
}

function Marks({ problems }: { problems: readonly Problem[] }) {
  if (problems.length === 0) return <span className="text-faint">none</span>
  const worst = (['error', 'warning', 'info'] as const).find((severity) =>
    problems.some((problem) => problem.severity === severity),
  )
  const { icon: Icon, ink } = signs[worst ?? 'info']
  const texts = problems.map(({ text }) => text).join('\n')
  return (
    <span title={texts} className={cn('flex items-center gap-1.5 font-medium', ink)}>
      <Icon aria-hidden className="size-3.5" /> {problems.length}
      <span className="sr-only">: {texts}</span>
    </span>
  )
}

/** A field in a cell: Enter and leaving it take the text, Escape does not. */
function InPlace({
  label,
  text,
  mono = false,
  onEnd,
}: {
  label: string
  text: string
  mono?: boolean
  onEnd: (text: string | null, back: boolean) => void
}) {
  const [typed, setTyped] = useState(text)
  // Returning the focus to the grid blurs the field as well.
  const ended = useRef(false)
  const end = (take: boolean, back: boolean) => {
    if (ended.current) return
    ended.current = true
    onEnd(take && typed !== text ? typed : null, back)
  }
  return (
    <input
      autoFocus
      aria-label={label}
      value={typed}
      spellCheck={false}
      autoComplete="off"
      onFocus={(event) => event.target.select()}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={() => end(true, false)}
      onKeyDown={(event) => {
        // Keys must not reach the grid or the editor.
        event.stopPropagation()
        if (event.key === 'Enter') end(true, true)
        else if (event.key === 'Escape') end(false, true)
      }}
      className={cn(
        'h-7 w-full min-w-0 rounded-sm border border-accent bg-surface px-1.5 text-ink outline-none',
        mono && 'font-mono text-xs',
      )}
    />
  )
}
