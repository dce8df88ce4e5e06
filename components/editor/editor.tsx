'use client'

import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, problemOf, type PipelineDocument } from '@/components/api'
import { ErrorState, Skeleton } from '@/components/ui/states'
import { CodeView } from './code-view'
import { createDraft, isDirty } from './draft'
import { EditCanvas } from './edit-canvas'
import { EditorProvider, useDraftStore, useEditor, useView } from './editor-context'
import { Inspector } from './inspector'
import { Outline } from './outline'
import { PipelineForm } from './pipeline-form'
import { Problems, useProblems, type Problem } from './problems'
import { Toolbar } from './toolbar'
import { browserStorage, createTrialStore } from './trial-store'
import { useEditorKeys, useTools } from './use-editor-keys'
import { usePublish } from './use-publish'
import { createView, NOTHING, onlyNode } from './view'

/** The editor of a pipeline: graph, code and forms over one draft. */
export function Editor({ pipelineId }: { pipelineId: string }) {
  const { data, error, refetch } = useQuery(
    api.pipelines.get.queryOptions(
      { pipeline_id: pipelineId },
      { staleTime: Infinity, refetchOnMount: 'always' },
    ),
  )
  if (error !== null)
    return (
      <ErrorState
        what="The pipeline could not be loaded."
        error={problemOf(error)}
        retry={() => void refetch()}
      />
    )
  if (data === undefined)
    return (
      <div role="status" aria-label="Loading the editor" className="p-6">
        <Skeleton className="h-64 w-full" />
      </div>
    )
  return <Opened key={pipelineId} document={data} />
}

function Opened({ document }: { document: PipelineDocument }) {
  const [stores] = useState(() => ({
    draft: createDraft({ revision: document.revision, text: document.yaml }, document.yaml, () => Date.now()),
    view: createView(),
    trials: createTrialStore(document.id, browserStorage()),
  }))
  return (
    <EditorProvider value={stores}>
      <Bench pipelineId={document.id} />
    </EditorProvider>
  )
}

function Bench({ pipelineId }: { pipelineId: string }) {
  const problems = useProblems()
  const { publish, busy, problem } = usePublish(pipelineId)
  const tools = useTools(publish)
  useEditorKeys(tools)
  useLeaveWarning()
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <Toolbar
        publish={publish}
        busy={busy}
        blocked={problems.some(({ severity }) => severity === 'error')}
      />
      {problem !== null && (
        <p role="alert" className="border-b border-line bg-surface px-4 py-2 text-sm text-danger">
          {problem.message}
        </p>
      )}
      <div className="relative flex min-h-0 flex-1">
        <div className="min-w-0 flex-1">
          <EditCanvas tools={tools} />
        </div>
        <SidePanel problems={problems} />
      </div>
      <div className="border-t border-line bg-surface">
        <Problems problems={problems} />
      </div>
    </div>
  )
}

/** What stands beside the canvas. On a narrow screen it covers it. */
function SidePanel({ problems }: { problems: readonly Problem[] }) {
  const { view } = useEditor()
  const panel = useView((state) => state.panel)
  const inspected = useView(onlyNode)
  if (panel === 'code')
    return (
      <div className="absolute inset-0 z-10 border-l border-line bg-surface lg:static lg:w-[480px] lg:shrink-0">
        <CodeView problems={problems} />
      </div>
    )
  if (panel === 'outline') return <Outline problems={problems} />
  if (inspected === null && panel !== 'pipeline') return null
  return (
    <div
      role="region"
      aria-label={inspected === null ? 'Pipeline' : `Node ${inspected}`}
      className="absolute inset-0 z-10 overflow-y-auto border-l border-line bg-surface lg:static lg:w-[400px] lg:shrink-0"
    >
      {inspected === null ? (
        <PipelineForm problems={problems} onClose={() => view.setState({ panel: 'node' })} />
      ) : (
        <Inspector
          key={inspected}
          id={inspected}
          problems={problems}
          onClose={() => view.setState({ selection: NOTHING })}
        />
      )}
    </div>
  )
}

/** The browser asks before a tab with changes is closed. */
function useLeaveWarning(): void {
  const draft = useDraftStore()
  useEffect(() => {
    const leave = (event: BeforeUnloadEvent) => {
      if (isDirty(draft.getState())) event.preventDefault()
    }
    window.addEventListener('beforeunload', leave)
    return () => window.removeEventListener('beforeunload', leave)
  }, [draft])
}
