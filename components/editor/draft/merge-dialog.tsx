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

/** Asks what is to stand where two changed the same; nothing is saved before. */
export function MergeDialog() {
  const { autosave } = useSession()
  const conflict = useAutosave((state) => state.conflict)
  if (conflict === null) return null
  return (
    <Dialog
      open
      onOpenChange={() => {}}
      mustAnswer
      title="Both changed the same"
      description={told(conflict)}
      className="h-[min(85dvh,800px)] max-h-none w-[min(1120px,calc(100vw-2rem))]"
    >
      <Decision conflict={conflict} onSolve={(text) => autosave.solve(text)} />
    </Dialog>
  )
}

function told({ other }: Conflict): string {
  if (other === null) return 'This draft was changed in another tab of yours as well.'
  const note = other.note === null ? '' : `: “${other.note}”`
  return `Revision ${other.revision} was published by ${other.by} meanwhile${note}.`
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
  const places = merged.conflicts === 1 ? 'One place was' : `${merged.conflicts} places were`
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 px-5 pb-3">
        <p className="mr-auto max-w-[72ch] text-muted">
          {places} changed by both; there yours stands as yet. All other changes of both are in the result.
          Take theirs with →, or edit.
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
          <span className="px-4 py-1.5">Result: your draft afterwards</span>
        </div>
        <Suspense fallback={<SkeletonRows />}>
          <SideBySide theirs={sides.theirs} result={begin} onResult={setResult} />
        </Suspense>
      </div>
      <div className="flex items-center gap-2 px-5 py-3">
        <p className="mr-auto text-xs text-faint">Nothing is published by this; the step can be undone.</p>
        <Button tone="primary" onClick={() => onSolve(result)}>
          Use this result
        </Button>
      </div>
    </>
  )
}
