import { FoldHorizontal, Maximize2, Minus, Plus, UnfoldHorizontal } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Input, Select } from '@/components/ui/field'
import { AS_DRAWN, ORDERS, SHOWN, type Arranged, type Arrangement } from './arrange-rows'

const LEGEND = [
  { kind: 'running', status: 'completed', text: 'Attempt' },
  { kind: 'running', status: 'failed', text: 'Failed' },
  { kind: 'retrying', status: 'retrying', text: 'Between attempts' },
  { kind: 'queued', status: 'queued', text: 'Queue' },
  { kind: 'waiting', status: 'waiting', text: 'Waiting' },
] as const

/** What the hatchings mean, and how the timeline is looked at. */
export function TimelineTools({
  arranged,
  broken,
  isTrue,
  onTrue,
  onZoom,
  onFit,
}: {
  arranged: Arranged
  /** Idle gaps that are drawn short, or would be. */
  broken: number
  isTrue: boolean
  onTrue: (isTrue: boolean) => void
  /** A factor below 1 looks closer. */
  onZoom: (factor: number) => void
  onFit: () => void
}) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-1 pr-2 pl-4">
      <Arrange {...arranged} />
      <ul aria-label="Legend" className="flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted">
        {LEGEND.map(({ kind, status, text }) => (
          <li key={text} className="flex items-center gap-1.5">
            <span
              aria-hidden
              data-kind={kind}
              data-status={status}
              className="timeline-bar h-3 w-6 rounded-sm"
            />
            {text}
          </li>
        ))}
        <li className="flex items-center gap-1.5">
          <span aria-hidden className="h-[3px] w-6 rounded-full bg-accent" />
          Critical path
        </li>
      </ul>
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
    </div>
  )
}

/** Which nodes are shown, and in which order. */
function Arrange({ arrangement, found, onArrange }: Arranged) {
  // The same object as at first, so that nothing is filtered where nothing is asked.
  const change = (part: Partial<Arrangement>) => {
    const next = { ...arrangement, ...part }
    const isPlain = next.text.trim() === '' && next.shown === AS_DRAWN.shown && next.order === AS_DRAWN.order
    onArrange(isPlain && next.text === '' ? AS_DRAWN : next)
  }
  return (
    <div role="search" className="flex flex-wrap items-center gap-1.5">
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
