import { ChevronRight, FoldHorizontal, Maximize2, Minus, Plus, UnfoldHorizontal } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import { Input, Select } from '@/components/ui/field'
import { AS_DRAWN, ORDERS, SHOWN, type Arranged, type Arrangement } from './arrange-rows'

/** Each kind of bar, with what it means where its name does not say all of it. */
const LEGEND = [
  { kind: 'running', status: 'running', text: 'Running', means: 'An attempt that has not ended' },
  { kind: 'running', status: 'completed', text: 'Completed', means: 'An attempt that completed' },
  { kind: 'running', status: 'failed', text: 'Failed', means: 'The last attempt, which failed' },
  {
    kind: 'running',
    status: 'retrying',
    text: 'Failed, tried again',
    means: 'An attempt that failed or was lost, after which the node is tried again',
  },
  {
    kind: 'running',
    status: 'cancelled',
    text: 'Stopped',
    means: 'An attempt that was cancelled, stopped by a pause or superseded by a rerun',
  },
  { kind: 'retrying', status: 'retrying', text: 'Between attempts', means: 'Waits before the next attempt' },
  { kind: 'queued', status: 'queued', text: 'Queued', means: 'Waits for a free slot' },
  {
    kind: 'waiting',
    status: 'waiting',
    text: 'Waiting',
    means: 'Waits for a person, an event, a time or another run',
  },
] as const

const sign = 'flex items-center gap-1.5'

/** What the colours and hatchings mean, and how the timeline is looked at. On a narrow screen only the zoom, until more is asked for. */
export function TimelineTools({
  children,
  arranged,
  broken,
  isTrue,
  onTrue,
  onZoom,
  onFit,
}: {
  /** What is shown below them, on a narrow screen with the legend and the filters. */
  children: ReactNode
  arranged: Arranged
  /** Idle gaps that are drawn short, or would be. */
  broken: number
  isTrue: boolean
  onTrue: (isTrue: boolean) => void
  /** A factor below 1 looks closer. */
  onZoom: (factor: number) => void
  onFit: () => void
}) {
  const [more, setMore] = useState(false)
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-1 pr-2 pl-4">
        <Button
          tone="quiet"
          size="small"
          className="-ml-2 sm:hidden"
          aria-expanded={more}
          onClick={() => setMore(!more)}
        >
          <ChevronRight aria-hidden className={cn('transition-transform', more && 'rotate-90')} /> Critical
          path, legend, filters
        </Button>
        <Arrange {...arranged} className={cn('max-sm:order-last max-sm:w-full', !more && 'max-sm:hidden')} />
        <div className="ml-auto flex items-center gap-1">
          {(broken > 0 || isTrue) && (
            <Button tone="quiet" size="small" aria-pressed={isTrue} onClick={() => onTrue(!isTrue)}>
              {isTrue ? <FoldHorizontal aria-hidden /> : <UnfoldHorizontal aria-hidden />} True scale
            </Button>
          )}
          <Button
            tone="quiet"
            size="icon"
            aria-label="Zoom out"
            title="Zoom out (−)"
            onClick={() => onZoom(1.5)}
          >
            <Minus aria-hidden />
          </Button>
          <Button
            tone="quiet"
            size="icon"
            aria-label="Zoom in"
            title="Zoom in (+)"
            onClick={() => onZoom(1 / 1.5)}
          >
            <Plus aria-hidden />
          </Button>
          <Button tone="quiet" size="small" title="Fit the whole run (1)" onClick={onFit}>
            <Maximize2 aria-hidden /> Fit
          </Button>
        </div>
        <Legend
          isShortened={broken > 0 && !isTrue}
          className={cn('order-last w-full pb-0.5', !more && 'max-sm:hidden')}
        />
      </div>
      <div className={cn(!more && 'max-sm:hidden')}>{children}</div>
    </>
  )
}

function Legend({ isShortened, className }: { isShortened: boolean; className: string }) {
  return (
    <ul aria-label="Legend" className={cn('flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted', className)}>
      {LEGEND.map(({ kind, status, text, means }) => (
        <li key={text} title={means} className={sign}>
          <span
            aria-hidden
            data-kind={kind}
            data-status={status}
            className="timeline-bar h-3 w-6 rounded-sm"
          />
          {text}
        </li>
      ))}
      <li title="What decided how long the run took" className={sign}>
        <span aria-hidden className="h-[3px] w-6 rounded-full bg-accent" />
        Critical path
      </li>
      {isShortened && (
        <li title="Time in which nothing ran, drawn shorter than it was" className={sign}>
          <span aria-hidden className="timeline-break h-3 w-6" />
          Idle time, shortened
        </li>
      )}
    </ul>
  )
}

/** Which nodes are shown, and in which order. */
function Arrange({ arrangement, found, onArrange, className }: Arranged & { className: string }) {
  // The same object as at first, so that nothing is filtered where nothing is asked.
  const change = (part: Partial<Arrangement>) => {
    const next = { ...arrangement, ...part }
    const isPlain = next.text.trim() === '' && next.shown === AS_DRAWN.shown && next.order === AS_DRAWN.order
    onArrange(isPlain && next.text === '' ? AS_DRAWN : next)
  }
  return (
    <div role="search" className={cn('flex flex-wrap items-center gap-1.5', className)}>
      <Input
        type="search"
        aria-label="Find a node"
        placeholder="Find a node…"
        maxLength={200}
        className="h-7 w-40 text-xs"
        value={arrangement.text}
        onChange={(event) => change({ text: event.target.value })}
      />
      <Select
        aria-label="Nodes"
        className="h-7 w-36 text-xs"
        value={arrangement.shown}
        onChange={(event) =>
          change({ shown: SHOWN.find(({ value }) => value === event.target.value)?.value ?? 'all' })
        }
      >
        {SHOWN.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </Select>
      <Select
        aria-label="Order"
        className="h-7 w-40 text-xs"
        value={arrangement.order}
        onChange={(event) =>
          change({ order: ORDERS.find(({ value }) => value === event.target.value)?.value ?? 'graph' })
        }
      >
        {ORDERS.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </Select>
      <span role="status" className="text-xs text-muted">
        {found !== null && (found === 1 ? '1 node' : `${found} nodes`)}
      </span>
    </div>
  )
}
