'use client'

import { ChartNoAxesGantt, FlaskConical, RotateCcw, TableProperties, Workflow, X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { DraftStore } from '@/components/editor/model/draft/draft'
import { DraftState } from '@/components/editor/draft/draft-state'
import { HistoryButtons } from '@/components/editor/history-buttons'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import type { Shape } from './use-rehearsal-address'
import type { Part } from './use-rehearsal'

const shapes = [
  { as: 'graph', text: 'Graph', icon: Workflow },
  { as: 'timeline', text: 'Timeline', icon: ChartNoAxesGantt },
  { as: 'nodes', text: 'Nodes', icon: TableProperties },
] as const

/** The toolbar of the rehearsal: how it is shown, undo, clear and save. */
export function Bar({
  as,
  onShape,
  draft,
  onReset,
  onSave,
}: {
  as: Shape
  onShape: (as: Shape) => void
  draft: DraftStore | null
  /** null: the scenario is empty. */
  onReset: (() => void) | null
  /** null: there is nothing to save, or no draft. */
  onSave: (() => void) | null
}) {
  return (
    <div
      role="toolbar"
      aria-label="Rehearsal"
      className="flex flex-wrap items-center gap-2 border-b border-line bg-surface px-4 py-1.5"
    >
      <div role="group" aria-label="Shown as" className="flex">
        {shapes.map(({ as: each, text, icon: Icon }) => (
          <Button
            key={each}
            aria-pressed={as === each}
            title={text}
            onClick={() => onShape(each)}
            className={cn(
              '-ml-px rounded-none first:ml-0 first:rounded-l-md last:rounded-r-md',
              as === each && 'z-1 border-accent/40 bg-accent-soft text-accent hover:bg-accent-soft',
            )}
          >
            <Icon aria-hidden /> {text}
          </Button>
        ))}
      </div>
      {draft !== null && <HistoryButtons draft={draft} />}
      <Button disabled={onReset === null} title="Clear the scenario" onClick={() => onReset?.()}>
        <RotateCcw aria-hidden /> Clear
      </Button>
      <span
        role="status"
        className="min-w-0 flex-1 truncate text-xs text-faint max-sm:order-1 max-sm:basis-full"
      >
        {draft !== null && <DraftState />}
      </span>
      {draft !== null && (
        <Button tone="primary" disabled={onSave === null} onClick={() => onSave?.()}>
          <FlaskConical aria-hidden /> Save as a case…
        </Button>
      )}
    </div>
  )
}

export function PartTab({
  name,
  part,
  onPart,
  children,
}: {
  name: Part
  part: Part
  onPart: (part: Part) => void
  children: ReactNode
}) {
  const here = part === name
  return (
    <button
      type="button"
      role="tab"
      id={`rehearsal-${name}`}
      aria-selected={here}
      aria-controls="rehearsal-part"
      tabIndex={here ? 0 : -1}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
        const other = name === 'scenario' ? 'cases' : 'scenario'
        onPart(other)
        document.getElementById(`rehearsal-${other}`)?.focus()
      }}
      onClick={() => onPart(name)}
      className={cn(
        '-mb-px flex h-10 items-center gap-1.5 border-b-2 border-transparent px-2.5 font-medium text-muted -outline-offset-2 transition-colors duration-150 hover:text-ink',
        here && 'border-accent text-accent hover:text-accent',
      )}
    >
      {children}
    </button>
  )
}

/** The case that is open in the scenario. */
export function OpenedCase({
  name,
  onSave,
  onClose,
}: {
  name: string
  /** Saves the current scenario as that case; null: without the right to edit. */
  onSave: (() => void) | null
  onClose: () => void
}) {
  return (
    <div
      role="note"
      className="flex items-center gap-2 border-b border-line bg-accent-soft py-1 pr-2 pl-4 text-xs"
    >
      <FlaskConical aria-hidden className="size-3.5 shrink-0 text-accent" />
      <span className="min-w-0 flex-1 truncate" title={name}>
        {name}
      </span>
      {onSave !== null && (
        <Button size="small" onClick={onSave}>
          Update…
        </Button>
      )}
      <Button tone="quiet" size="icon" className="size-7" aria-label="Close the case" onClick={onClose}>
        <X aria-hidden />
      </Button>
    </div>
  )
}
