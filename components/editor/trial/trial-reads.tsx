import { Pencil, Pin } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { StaleSign } from '@/components/ui/stale-sign'
import { RelativeTime } from '@/components/ui/time'
import { INPUTS } from './trial-store'
import type { Read } from './use-trial'

/** What the node reads, and where the sample of it comes from. */
export function Reads({
  reads,
  onOpen,
  onEdit,
}: {
  reads: readonly Read[]
  /** Shows the node. */
  onOpen: (root: string) => void
  /** Edits its data. */
  onEdit: (root: string) => void
}) {
  return (
    <div>
      <h4 className="mb-1 text-xs font-medium text-muted">Reads</h4>
      <ul className="divide-y divide-line rounded-md border border-line">
        {reads.map(({ root, from, stale }) => {
          const name = root === INPUTS ? 'inputs of the pipeline' : root
          return (
            <li key={root} className="flex h-8 items-center gap-2 pr-1 pl-2.5 text-xs">
              {root === INPUTS ? (
                <span className="truncate">{name}</span>
              ) : (
                <button
                  type="button"
                  title={`Show ${name}`}
                  className="truncate font-mono hover:underline"
                  onClick={() => onOpen(root)}
                >
                  {name}
                </button>
              )}
              <span className="ml-auto flex shrink-0 items-center gap-1 text-faint">
                {stale !== null && <StaleSign why={stale} />}
                <Origin from={from} />
              </span>
              <Button
                tone="quiet"
                size="icon"
                className="size-6 [&_svg]:size-3.5"
                aria-label={`Edit the data of ${name}`}
                onClick={() => onEdit(root)}
              >
                <Pencil aria-hidden />
              </Button>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

function Origin({ from }: { from: Read['from'] }) {
  if (from === null) return <span className="text-warning">no data yet</span>
  if (from === 'pin')
    return (
      <span className="inline-flex items-center gap-1">
        <Pin aria-hidden className="size-3 text-accent" /> pinned
      </span>
    )
  if (from === 'try') return <>last try</>
  if (from === 'default') return <>defaults</>
  return (
    <>
      run of <RelativeTime at={from.at} />
    </>
  )
}
