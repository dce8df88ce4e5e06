'use client'

import type { GateMark } from './model/gate-marks'
import { Handle, Position, type Node, type NodeHandle, type NodeProps } from '@xyflow/react'
import { CircleAlert, Pin, Radio, Sparkles } from 'lucide-react'
import { memo, useContext } from 'react'
import { cn } from '@/components/ui/class-names'
import { StaleSign } from '@/components/ui/stale-sign'
import { StatusIcon, statusText, type Status } from '@/components/ui/status'
import { TaskIcon } from '@/components/ui/task-icon'
import { Duration, RelativeTime } from '@/components/ui/time'
import { durationText } from '@/components/ui/times'
import { useLate } from '@/components/ui/use-late'
import { CardName } from './card-name'
import { Distance } from './distance'
import type { Change, DrawnNode, Outcome } from './model/drawing'
import { ItemCounts, ItemsBar } from './items-bar'
import type { Direction } from './model/layout'

export type CardNode = Node<
  {
    drawn: DrawnNode
    direction: Direction
    run: boolean
    /** Edges can be drawn from its handles. */
    editable?: boolean
    /** Switches its gate between AND and OR; absent where that is not one step. */
    onJoin?: ((id: string) => void) | undefined
    /** Its name is being edited; called with the new name, or null when nothing changed. */
    onName?: ((id: string, name: string | null) => void) | undefined
    /** How it ends in the run that is shown; null: it is not part of that run. */
    ending?: Outcome | null | undefined
    /** Its first error. */
    wrong?: string | undefined
    /** Opens and closes a group. */
    onOpen?: ((id: string) => void) | undefined
    /** Of a closed group: the name of its node that is selected. */
    chosen?: string | undefined
  },
  'card' | 'signal' | 'group'
>

const marks: Record<GateMark, { text: string; title: string }> = {
  and: { text: 'AND', title: 'Starts when all of its events have happened' },
  or: { text: 'OR', title: 'Starts when any of its events has happened' },
  not: { text: 'NOT', title: 'Something must not have happened' },
  condition: { text: 'IF', title: 'Has a condition' },
}

/** How a node changed between two revisions, as colour, border and text. */
export const changes: Record<Change, { text: string; look: string; ink: string }> = {
  added: {
    text: 'added',
    look: 'border-completed bg-[color-mix(in_oklab,var(--completed)_8%,var(--surface))]',
    ink: 'border-completed text-completed',
  },
  removed: {
    text: 'removed',
    look: 'border-dashed border-failed bg-ground',
    ink: 'border-failed text-failed',
  },
  changed: {
    text: 'changed',
    look: 'border-warning bg-[color-mix(in_oklab,var(--warning)_8%,var(--surface))]',
    ink: 'border-warning text-warning',
  },
  moved: { text: 'moved', look: 'border-dashed border-line-strong', ink: 'border-line-strong text-muted' },
}

/** Class names of a short note beside the task. */
const trait = 'shrink-0 rounded-sm bg-sunken px-1 text-[10px]'

/** The size of a handle in canvas units, as in the style sheet. */
const handleSize = 7

/** The source handles of a node, one for each outcome. */
const outcomesOf = (drawn: DrawnNode) =>
  drawn.outcomes.length === 0 ? (['completed'] as const) : drawn.outcomes

/** The handles of a node of a known size, spread evenly, so that edges can be drawn without measuring the page. */
export function handlesOf(
  drawn: DrawnNode,
  direction: Direction,
  { width, height }: { readonly width: number; readonly height: number },
): NodeHandle[] {
  const right = direction === 'right'
  const outcomes = outcomesOf(drawn)
  const at = (type: 'source' | 'target', share: number, id: string | null): NodeHandle => ({
    id,
    type,
    position: right
      ? type === 'source'
        ? Position.Right
        : Position.Left
      : type === 'source'
        ? Position.Bottom
        : Position.Top,
    x: (right ? (type === 'source' ? width : 0) : width * share) - handleSize / 2,
    y: (right ? height * share : type === 'source' ? height : 0) - handleSize / 2,
    width: handleSize,
    height: handleSize,
  })
  return [
    ...(drawn.kind === 'signal' ? [] : [at('target', 0.5, null)]),
    ...outcomes.map((outcome, index) => at('source', (index + 1) / (outcomes.length + 1), outcome)),
  ]
}

export function Handles({
  drawn,
  direction,
  editable = false,
}: {
  drawn: DrawnNode
  direction: Direction
  editable?: boolean | undefined
}) {
  const right = direction === 'right'
  const outcomes = outcomesOf(drawn)
  return (
    <>
      {drawn.kind !== 'signal' && (
        <Handle type="target" position={right ? Position.Left : Position.Top} isConnectable={editable} />
      )}
      {outcomes.map((outcome, index) => {
        const share = `${((index + 1) * 100) / (outcomes.length + 1)}%`
        return (
          <Handle
            key={outcome}
            id={outcome}
            type="source"
            {...(editable ? { 'data-label': outcome } : { title: outcome })}
            position={right ? Position.Right : Position.Bottom}
            isConnectable={editable}
            style={right ? { top: share } : { left: share }}
          />
        )
      })}
    </>
  )
}

/** The status whose colour an outcome has. */
const endings: Partial<Record<Outcome, string>> = {
  completed: 'completed',
  approved: 'completed',
  failed: 'failed',
  rejected: 'rejected',
  timeout: 'failed',
  skipped: 'skipped',
}

/** The gate of a node. It is a button where one press switches AND and OR. */
export function Gate({
  drawn: { id, gate, gateText },
  direction,
  onJoin,
}: {
  drawn: DrawnNode
  direction: Direction
  onJoin: ((id: string) => void) | undefined
}) {
  const look = cn(
    'absolute flex gap-px overflow-hidden rounded-sm border border-line-strong bg-surface font-mono text-[9px] leading-[14px] font-semibold text-muted',
    direction === 'right' ? '-left-3 top-1' : '-top-2 left-3',
  )
  const says = `${gate.map((mark) => marks[mark].title).join('; ')}: ${gateText}`
  const text = gate.map((mark) => (
    <span key={mark} className="px-1">
      {marks[mark].text}
    </span>
  ))
  if (onJoin === undefined)
    return (
      <span title={says} className={look}>
        {text}
      </span>
    )
  const other = gate.includes('and') ? 'one of its events is enough' : 'all of its events are needed'
  return (
    <button
      type="button"
      title={`${says}. Press: ${other}`}
      aria-label={`Gate of ${id}: ${gate.map((mark) => marks[mark].text).join(' ')}. Change it: ${other}`}
      onClick={(event) => {
        event.stopPropagation()
        onJoin(id)
      }}
      className={cn(look, 'nodrag nopan hover:border-accent hover:text-ink')}
    >
      {text}
    </button>
  )
}

/** A card looks the same at every position: a drag does not render it again. */
export const looksSame = (a: NodeProps<CardNode>, b: NodeProps<CardNode>): boolean =>
  a.data === b.data && a.selected === b.selected

/** A person's no is no fault: it has a look of its own. */
export const shownStatus = ({ status, rejected }: DrawnNode): Status | null =>
  rejected ? 'rejected' : status

/** A node that is too small to be read: a box in the colour of its status. */
export function Patch({
  data: { drawn, ending, wrong },
  selected,
}: {
  data: CardNode['data']
  selected: boolean
}) {
  const { status } = drawn
  return (
    <div
      data-status={shownStatus(drawn) ?? 'none'}
      data-node={drawn.id}
      className={cn(
        'h-full w-full rounded-lg border-2',
        drawn.group?.open === true
          ? 'border-dashed border-line-strong bg-sunken'
          : status === null
            ? 'border-line-strong bg-line-strong/50'
            : status === 'pending' || status === 'skipped'
              ? 'border-line-strong bg-surface'
              : 'border-(--status) bg-(--status)/40',
        drawn.critical && 'border-accent',
        drawn.change !== undefined && changes[drawn.change].look,
        wrong !== undefined && 'border-danger',
        selected && 'ring-8 ring-accent',
        ending === null && 'opacity-40',
      )}
    />
  )
}

/** A node: its gate, task, name, and in a run its status and duration. */
export const Card = memo(function Card({ data, selected }: NodeProps<CardNode>) {
  const { drawn, direction, run, onJoin, onName, ending, wrong } = data
  const status = drawn.status
  const quiet = status === 'pending' || status === 'skipped'
  if (useContext(Distance)) return <Patch data={data} selected={selected} />
  return (
    <div
      data-status={shownStatus(drawn) ?? 'none'}
      data-node={drawn.id}
      className={cn(
        'relative flex h-full w-full gap-2.5 rounded-lg border bg-surface py-2 pr-3 pl-3 shadow-card transition-[border-color,box-shadow] duration-150',
        run && status !== null ? 'items-start' : 'items-center',
        status === null || quiet ? 'border-line-strong' : 'status-edge',
        status === 'skipped' && 'border-dashed bg-ground',
        drawn.critical && 'border-accent',
        drawn.change !== undefined && changes[drawn.change].look,
        wrong !== undefined && !selected && 'border-danger',
        selected && 'ring-2 ring-accent',
        ending === null && 'opacity-40',
      )}
    >
      {status !== null && !quiet && (
        <span
          aria-hidden
          className="absolute inset-y-[-1px] left-[-1px] w-[3px] rounded-l-lg bg-(--status)"
        />
      )}
      {drawn.gate.length > 0 && <Gate drawn={drawn} direction={direction} onJoin={onJoin} />}
      {ending != null && (
        <span
          data-status={endings[ending] ?? 'cancelled'}
          className="status-ink absolute -top-2.5 right-3 rounded-full border border-(--status) bg-surface px-2 text-[11px] leading-[18px] font-semibold"
        >
          {ending}
        </span>
      )}
      {(drawn.pinned || drawn.stale !== null || wrong !== undefined) && (
        <Badges drawn={drawn} wrong={wrong} />
      )}
      {drawn.change !== undefined && (
        <span
          className={cn(
            'absolute -top-2.5 right-2 rounded-full border bg-surface px-1.5 text-[10px] leading-4 font-semibold',
            changes[drawn.change].ink,
          )}
        >
          {changes[drawn.change].text}
        </span>
      )}
      <TaskIcon task={drawn.task} className={cn(status === 'skipped' && 'opacity-60')} />
      <div className="min-w-0 flex-1">
        {onName !== undefined ? (
          <CardName name={drawn.name} onDone={(name) => onName(drawn.id, name)} />
        ) : (
          <div
            className={cn('truncate text-sm leading-[18px] font-semibold', quiet && 'text-muted')}
            title={drawn.name}
          >
            {drawn.name}
          </div>
        )}
        <Detail drawn={drawn} />
        {run && status !== null && <StatusLine drawn={drawn} status={shownStatus(drawn) ?? status} />}
      </div>
      {drawn.progress !== null && drawn.items === null && <Progress ratio={drawn.progress} />}
      {drawn.items !== null && <ItemsBar items={drawn.items} className="absolute inset-x-2 bottom-0" />}
      <Handles drawn={drawn} direction={direction} editable={data.editable} />
    </div>
  )
}, looksSame)

/** A process is made ready in less: nobody has to read of it. */
const BEGINS_WITHIN_MS = 1_000

/** The second line of a card: what is to be known now, else the task. */
function Detail({ drawn }: { drawn: DrawnNode }) {
  const note = useLate(drawn.unbegun, BEGINS_WITHIN_MS) ? 'waits to begin' : drawn.note
  return note === null && drawn.wakeAt === null ? (
    drawn.items !== null ? (
      <ItemCounts items={drawn.items} className="text-[11px] leading-4" />
    ) : (
      <div className="flex items-center gap-1.5 font-mono text-[11px] leading-4 text-faint">
        <span className="truncate">{drawn.child?.pipeline ?? drawn.task}</span>
        {drawn.each && <span className={trait}>for each</span>}
        {drawn.finally && <span className={trait}>finally</span>}
      </div>
    )
  ) : (
    // A message takes the line of the task, which the icon shows as well.
    <div
      title={note ?? undefined}
      className={cn(
        'truncate text-[11px] leading-4',
        drawn.rejected ? 'text-rejected' : drawn.status === 'failed' ? 'text-failed' : 'text-muted',
      )}
    >
      {drawn.wakeAt !== null ? (
        <>
          {drawn.nextTry === null ? 'goes on' : `try ${drawn.nextTry}`} <RelativeTime at={drawn.wakeAt} />
        </>
      ) : (
        note
      )}
    </div>
  )
}

/** The line of a card in a run: status, and duration or slack. */
function StatusLine({ drawn, status }: { drawn: DrawnNode; status: Status }) {
  return (
    <div className="mt-0.5 flex items-center gap-1.5 text-xs leading-[18px]">
      <StatusIcon status={status} className="size-3" />
      <span className="status-ink font-medium">
        {statusText(status)}
        {drawn.handled && <span className="text-muted">, handled</span>}
        {drawn.byHand && <span className="text-muted">, by hand</span>}
        {drawn.reused && <span className="text-muted">, reused</span>}
      </span>
      {drawn.madeUp && (
        <span role="img" aria-label="With made-up values" title="With made-up values" className="inline-flex">
          <Sparkles aria-hidden className="size-3 text-warning" />
        </span>
      )}
      <span className="ml-auto truncate font-mono text-[11px] text-faint">
        {drawn.startedAt !== null && !drawn.byHand ? (
          <Duration from={drawn.startedAt} to={drawn.finishedAt} />
        ) : drawn.slackMs !== null && drawn.slackMs > 0 ? (
          <span className="font-sans" title="How much later it may finish without delaying the run">
            slack {durationText(drawn.slackMs)}
          </span>
        ) : null}
      </span>
    </div>
  )
}

function Progress({ ratio }: { ratio: number }) {
  return (
    <span aria-hidden className="absolute inset-x-2 bottom-0 h-[3px] overflow-hidden rounded-full bg-line">
      <span
        className="block h-full bg-(--status) transition-[width] duration-200"
        style={{ width: `${Math.round(Math.min(1, Math.max(0, ratio)) * 100)}%` }}
      />
    </span>
  )
}

/** The badges at the corner of a card: an error, pinned data, stale data. */
export function Badges({ drawn: { pinned, stale }, wrong }: { drawn: DrawnNode; wrong: string | undefined }) {
  return (
    <span className="absolute right-2 -bottom-2 flex items-center gap-1 rounded-sm border border-line-strong bg-surface px-1 py-px">
      {wrong !== undefined && (
        <span role="img" aria-label={`Error: ${wrong}`} title={wrong} className="inline-flex">
          <CircleAlert aria-hidden className="size-3 text-danger" />
        </span>
      )}
      {pinned && (
        <span role="img" aria-label="Has pinned data" title="Has pinned data" className="inline-flex">
          <Pin aria-hidden className="size-3 text-accent" />
        </span>
      )}
      {stale !== null && <StaleSign why={stale} className="size-3" />}
    </span>
  )
}

/** An external event that a gate waits for. */
export const Signal = memo(function Signal({ data }: NodeProps<CardNode>) {
  return (
    <div
      title={data.drawn.id}
      className="flex h-full w-full items-center gap-2 rounded-full border border-dashed border-line-strong bg-ground px-3 text-muted"
    >
      <Radio aria-hidden className="size-3.5 shrink-0" />
      <span className="truncate font-mono text-[11px]">{data.drawn.name}</span>
      <Handles drawn={data.drawn} direction={data.direction} editable={data.editable} />
    </div>
  )
}, looksSame)
