'use client'

import { Redo2, Undo2 } from 'lucide-react'
import { useStore } from 'zustand'
import { Button } from '@/components/ui/button'
import type { DraftStore } from './model/draft/draft'

/** Undo and redo of the draft's one history. */
export function HistoryButtons({ draft }: { draft: DraftStore }) {
  const canUndo = useStore(draft, ({ history }) => history.past.length > 0)
  const canRedo = useStore(draft, ({ history }) => history.future.length > 0)
  return (
    <>
      <Button
        size="icon"
        aria-label="Undo"
        title="Undo (Ctrl+Z)"
        disabled={!canUndo}
        onClick={() => draft.undo()}
      >
        <Undo2 aria-hidden />
      </Button>
      <Button
        size="icon"
        aria-label="Redo"
        title="Redo (Ctrl+Shift+Z)"
        disabled={!canRedo}
        onClick={() => draft.redo()}
      >
        <Redo2 aria-hidden />
      </Button>
    </>
  )
}
