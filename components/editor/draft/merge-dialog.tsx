'use client'

import { lazy, Suspense, useMemo, useState } from 'react'
import { useSession, useAutosave } from '@/components/editor/session-context'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { SkeletonRows } from '@/components/ui/states'
import type { Conflict } from '@/components/editor/model/draft/autosave'
import { mergeTexts } from '@/components/editor/model/draft/merge'

/** The heaviest part: loaded when two have changed the same. */
const SideBySide = lazy(() => import('./merge-view'))

/** Asks the person to resolve a conflict. Nothing is saved before. */
export function MergeDialog() {
  const { autosave } = useSession()
  const conflict = useAutosave((state) => state.conflict)
  if (conflict === null) return null
  return (
    <Dialog
      open
      onOpenChange={() => {}}
      mustAnswer
      title="Resolve the conflict"
      description={descriptionOf(conflict)}
      className="h-[min(85dvh,800px)] max-h-none w-[min(1120px,calc(100vw-2rem))]"
    >
      <Decision conflict={conflict} onSolve={(text) => autosave.solve(text)} />
    </Dialog>
  )
}

function descriptionOf({ other }: Conflict): string {
  if (other === null) return 'You changed the same lines in another tab.'
  const note = other.note === null ? '' : `: “${other.note}”`
  return `${other.by} published revision ${other.revision}, which changed the same lines${note}.`
}

function Decision({ conflict, onSolve }: { conflict: Conflict; onSolve: (text: string) => void }) {
  const { sides } = conflict
  const merged = useMemo(() => mergeTexts(sides), [sides])
  const [begin, setBegin] = useState(merged.text)
  const [result, setResult] = useState(merged.text)
  const take = (text: string) => {
    setBegin(text)
    setResult(text)
  }
  const conflicts = merged.conflicts === 1 ? 'One conflict' : `${merged.conflicts} conflicts`
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 px-5 pb-3">
        <p className="mr-auto max-w-[72ch] text-muted">
          {conflicts}: the result has your version there, and all other changes of both sides. Take their
          version with →, or edit the result.
        </p>
        <Button size="small" onClick={() => take(sides.theirs)}>
          All theirs
        </Button>
        <Button size="small" onClick={() => take(sides.mine)}>
          All mine
        </Button>
        <Button size="small" onClick={() => take(merged.text)}>
          Both together
        </Button>
      </div>
      <div className="min-h-0 flex-1 overflow-auto border-y border-line" tabIndex={0} role="group">
        <div className="sticky top-0 z-10 grid min-w-[640px] grid-cols-2 border-b border-line bg-surface text-xs font-medium text-muted">
          <span className="px-4 py-1.5">Theirs</span>
          <span className="px-4 py-1.5">Result: your new draft</span>
        </div>
        <Suspense fallback={<SkeletonRows />}>
          <SideBySide theirs={sides.theirs} result={begin} onResult={setResult} />
        </Suspense>
      </div>
      <div className="flex items-center gap-2 px-5 py-3">
        <p className="mr-auto text-xs text-faint">Nothing is published. You can undo this step.</p>
        <Button tone="primary" onClick={() => onSolve(result)}>
          Use this result
        </Button>
      </div>
    </>
  )
}
