'use client'

import { Maximize2, Minimize2, Plus, X } from 'lucide-react'
import { useId, useRef, useState, type ReactNode } from 'react'
import { useEditor } from '@/components/editor/editor-context'
import { eventsFor, type ActionReport } from '@/components/editor/model/outline/outline-actions'
import type { Problem } from '@/components/editor/model/problems/problem-list'
import { Inspector } from '@/components/editor/node/inspector'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import { OutlineGrid } from './outline-grid'
import { useOutline } from './use-outline'
import { WaitFor } from './wait-for'

const HELP =
  'Arrow keys move between cells, Enter opens a node, F2 edits its name or its start, Space lets it wait for another node, ' +
  'N adds a node after it, Delete deletes it, Alt with up or down moves it, letters find it.'

/** The pipeline as a table: a second way to do everything, made for the keyboard and for screen readers. */
export function Outline({ problems }: { problems: readonly Problem[] }) {
  const stores = useEditor()
  const prefix = useId()
  const grid = useRef<HTMLDivElement>(null)
  const outline = useOutline(grid)
  const [wide, setWide] = useState(false)
  const { rows, row, form, waiting, report } = outline
  return (
    <section
      aria-label="Outline"
      className={cn(
        // The canvas ignores keys of elements with `nokey`.
        'nokey absolute inset-0 z-10 flex flex-col border-l border-line bg-surface',
        !wide && 'lg:relative lg:inset-auto lg:w-[min(760px,60%)] lg:shrink-0',
      )}
    >
      <Heading count={rows.length} wide={wide} onWide={setWide} />
      <OutlineGrid outline={outline} grid={grid} prefix={prefix} problems={problems} />
      <StatusLine report={report} helpId={`${prefix}-help`} />
      {form !== null && (
        <NodeDrawer id={form} onClose={outline.closeForm}>
          <Inspector id={form} problems={problems} onClose={outline.closeForm} />
        </NodeDrawer>
      )}
      {waiting && row !== undefined && (
        <WaitFor
          node={row.id}
          choices={eventsFor(stores, row.id)}
          onClose={outline.stopWaiting}
          onTake={(event) => outline.wait(row.id, event)}
        />
      )}
    </section>
  )
}

function Heading({ count, wide, onWide }: { count: number; wide: boolean; onWide: (wide: boolean) => void }) {
  const { view } = useEditor()
  return (
    <div className="flex items-center gap-1 border-b border-line py-1 pr-2 pl-4">
      <h2 className="text-sm font-semibold">Outline</h2>
      <span className="ml-2 text-xs text-faint">{count === 1 ? '1 node' : `${count} nodes`}</span>
      <Button tone="quiet" size="small" className="ml-auto" onClick={() => view.setState({ adding: true })}>
        <Plus aria-hidden /> Add
      </Button>
      <Button
        tone="quiet"
        size="icon"
        className="hidden lg:inline-flex"
        aria-label={wide ? 'Show the canvas beside the outline' : 'Hide the canvas'}
        onClick={() => onWide(!wide)}
      >
        {wide ? <Minimize2 aria-hidden /> : <Maximize2 aria-hidden />}
      </Button>
      <Button
        tone="quiet"
        size="icon"
        aria-label="Close the outline"
        onClick={() => view.setState({ panel: 'node' })}
      >
        <X aria-hidden />
      </Button>
    </div>
  )
}

/** What the last action did; until there was one, the help. */
function StatusLine({ report, helpId }: { report: ActionReport | null; helpId: string }) {
  return (
    <p className="border-t border-line px-4 py-1.5 text-xs">
      <span
        role="status"
        aria-label="What the outline did"
        className={report?.refused ? 'text-danger' : 'text-muted'}
      >
        {report?.text}
      </span>
      <span id={helpId} className={cn('text-faint', report !== null && 'sr-only')}>
        {HELP}
      </span>
    </p>
  )
}

/** The form of a node over the outline. */
function NodeDrawer({ id, onClose, children }: { id: string; onClose: () => void; children: ReactNode }) {
  return (
    <div
      role="region"
      aria-label={`Node ${id}`}
      ref={focusFirst}
      onKeyDown={(event) => {
        const own = event.currentTarget.contains(event.target as Node)
        if (event.key === 'Escape' && own && !event.defaultPrevented) onClose()
      }}
      className="absolute inset-y-0 right-0 z-20 w-full overflow-y-auto border-l border-line bg-surface shadow-raised sm:w-[360px]"
    >
      {children}
    </div>
  )
}

/** Focuses the first field of a form when it opens. */
function focusFirst(form: HTMLElement | null): void {
  form?.querySelector<HTMLElement>('input, textarea, select')?.focus()
}
