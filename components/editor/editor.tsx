'use client'

import { useCallback, useState } from 'react'
import { SideEdge, useSideWidth } from '@/components/ui/side-edge'
import { Skeleton } from '@/components/ui/states'
import { DraftNotes } from './draft/draft-notes'
import { EditCanvas } from './canvas/edit-canvas'
import { useEditor, useView } from './editor-context'
import { useOptionalSession, useSession } from './session-context'
import { MergeDialog } from './draft/merge-dialog'
import type { Problem } from './model/problems/problem-list'
import { Problems } from './problems/problems'
import { useProblems } from './problems/use-problems'
import { PublishDialog } from './draft/publish-dialog'
import { Toolbar } from './toolbar'
import { useAddress } from './use-address'
import { CodeView, Inspector, Outline, PipelineForm } from './panels'
import { useEditorKeys, useTools } from './use-editor-keys'
import { NOTHING, onlyNode } from './model/view'

/** The editor of the open session: graph, code and forms of one draft. */
export function Editor() {
  if (useOptionalSession() === null)
    return (
      <div role="status" aria-label="Loading the editor" className="p-6">
        <Skeleton className="h-64 w-full" />
      </div>
    )
  return <OpenEditor />
}

function OpenEditor() {
  const { pipelineId, stores } = useSession()
  const problems = useProblems()
  const [asking, setAsking] = useState(false)
  const ask = useCallback(() => {
    // The dialog must include what was just typed.
    stores.draft.parse()
    setAsking(true)
  }, [stores])
  const tools = useTools(ask)
  useEditorKeys(tools)
  useAddress(stores, `/pipelines/${pipelineId}`)
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <Toolbar publish={ask} />
      <DraftNotes />
      <div className="relative flex min-h-0 flex-1">
        <div className="min-w-0 flex-1">
          <EditCanvas tools={tools} />
        </div>
        <SidePanel problems={problems} />
      </div>
      <div className="border-t border-line bg-surface">
        <Problems problems={problems} />
      </div>
      <PublishDialog
        open={asking}
        onOpenChange={setAsking}
        errors={problems.filter(({ severity }) => severity === 'error')}
        warnings={problems.filter(({ severity }) => severity === 'warning')}
      />
      <MergeDialog />
    </div>
  )
}

/** The panel beside the canvas; on a narrow screen it covers the canvas. */
function SidePanel({ problems }: { problems: readonly Problem[] }) {
  const { view } = useEditor()
  const panel = useView((state) => state.panel)
  const inspected = useView(onlyNode)
  const [code, form] = [useSideWidth('code', 480), useSideWidth('form', 400)]
  if (panel === 'code')
    return (
      <>
        <SideEdge side={code} />
        <div
          style={code.style}
          className="absolute inset-0 z-10 border-l border-line bg-surface lg:static lg:w-(--side) lg:shrink-0"
        >
          <CodeView problems={problems} />
        </div>
      </>
    )
  if (panel === 'outline') return <Outline problems={problems} />
  if (inspected === null && panel !== 'pipeline') return null
  // Back to where the keys of the canvas work: the form of a node stays as long as the node is selected.
  const leave = () => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    if (inspected === null) view.setState({ panel: 'node' })
    else view.canvas()?.focus(inspected)
  }
  return (
    <>
      <SideEdge side={form} />
      <div
        role="region"
        aria-label={inspected === null ? 'Pipeline' : `Node ${inspected}`}
        onKeyDown={(event) => {
          const own = event.currentTarget.contains(event.target as Node)
          if (event.key !== 'Escape' || !own || event.defaultPrevented) return
          // What is selected stays selected: that takes an Escape of its own.
          event.stopPropagation()
          leave()
        }}
        style={form.style}
        className="absolute inset-0 z-10 overflow-y-auto border-l border-line bg-surface lg:relative lg:inset-auto lg:w-(--side) lg:shrink-0"
      >
        {inspected === null ? (
          <PipelineForm problems={problems} onClose={() => view.setState({ panel: 'node' })} />
        ) : (
          <Inspector
            id={inspected}
            problems={problems}
            onClose={() => view.setState({ selection: NOTHING })}
          />
        )}
      </div>
    </>
  )
}
