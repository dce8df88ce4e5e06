'use client'

import { Code, ListTree, Redo2, Settings2, Undo2, Upload } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { AddNodeButton } from './add-node'
import { isDirty } from './draft'
import { DraftState } from './draft-state'
import { useDraft, useEditor, useView } from './editor-context'
import { MoreMenu } from './more-menu'
import { NOTHING } from './view'

/** What can be done with the draft as a whole, and how it stands. */
export function Toolbar({ publish }: { publish: () => void }) {
  const { draft, view } = useEditor()
  const dirty = useDraft(isDirty)
  const canUndo = useDraft(({ history }) => history.past.length > 0)
  const canRedo = useDraft(({ history }) => history.future.length > 0)
  const code = useView(({ panel }) => panel === 'code')
  const outline = useView(({ panel }) => panel === 'outline')
  const pipeline = useView((state) => state.panel === 'pipeline' && state.selection.nodes.size === 0)
  return (
    <div
      role="toolbar"
      aria-label="Editor"
      className="flex flex-wrap items-center gap-2 border-b border-line bg-surface px-4 py-1.5"
    >
      <AddNodeButton />
      <Button size="icon" aria-label="Undo" disabled={!canUndo} onClick={() => draft.undo()}>
        <Undo2 aria-hidden />
      </Button>
      <Button size="icon" aria-label="Redo" disabled={!canRedo} onClick={() => draft.redo()}>
        <Redo2 aria-hidden />
      </Button>
      <Button aria-pressed={code} onClick={() => view.setState({ panel: code ? 'node' : 'code' })}>
        <Code aria-hidden /> Code
      </Button>
      <Button aria-pressed={outline} onClick={() => view.setState({ panel: outline ? 'node' : 'outline' })}>
        <ListTree aria-hidden /> Outline
      </Button>
      <Button
        aria-pressed={pipeline}
        onClick={() =>
          view.setState(pipeline ? { panel: 'node' } : { panel: 'pipeline', selection: NOTHING })
        }
      >
        <Settings2 aria-hidden /> Pipeline
      </Button>
      <span role="status" className="min-w-40 flex-1 truncate text-xs text-faint">
        <DraftState />
      </span>
      <MoreMenu />
      <Button tone="primary" disabled={!dirty} onClick={publish}>
        <Upload aria-hidden /> Publish…
      </Button>
    </div>
  )
}
