'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Code, Redo2, Save, Undo2 } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { api, problemOf, type PipelineDocument } from '@/components/api'
import { Button } from '@/components/ui/button'
import { ErrorState, Skeleton } from '@/components/ui/states'
import { toast } from '@/components/ui/toast'
import { isTyping } from '@/components/ui/typing'
import { AddNode } from './add-node'
import { CodeView } from './code-view'
import { createDraft, isDirty } from './draft'
import { EditCanvas, NOTHING, type Selection } from './edit-canvas'
import { DraftProvider, useDraft, useDraftStore } from './editor-context'
import { added, freshId, withFlow } from './edits'
import { Inspector } from './inspector'
import { Problems, useProblems } from './problems'

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
  return <Draft key={pipelineId} document={data} />
}

function Draft({ document }: { document: PipelineDocument }) {
  const [store] = useState(() =>
    createDraft({ revision: document.revision, text: document.yaml }, document.yaml, () => Date.now()),
  )
  return (
    <DraftProvider value={store}>
      <Bench pipelineId={document.id} />
    </DraftProvider>
  )
}

function Bench({ pipelineId }: { pipelineId: string }) {
  const store = useDraftStore()
  const queries = useQueryClient()
  const dirty = useDraft(isDirty)
  const canUndo = useDraft((draft) => draft.history.past.length > 0)
  const canRedo = useDraft((draft) => draft.history.future.length > 0)
  const told = useDraft((draft) => draft.told)
  const revision = useDraft((draft) => draft.saved.revision)
  const problems = useProblems()
  const errors = problems.filter(({ severity }) => severity === 'error').length
  const [selection, setSelection] = useState<Selection>(NOTHING)
  const [code, setCode] = useState(false)
  const [adding, setAdding] = useState(false)
  const [only] = selection.nodes
  const inspected = selection.nodes.size === 1 ? only : undefined

  const publish = useMutation(
    api.pipelines.update.mutationOptions({
      onSuccess: ({ revision: saved }, request) => {
        store.rebase({ revision: saved, text: request.yaml ?? '' })
        toast({ tone: 'good', title: `Saved as revision ${saved}` })
        void queries.invalidateQueries({ queryKey: api.pipelines.pathKey() })
      },
    }),
  )
  const { mutate, isPending } = publish
  const save = useMemo(
    () => () => {
      const { text, saved, unreadable } = store.getState()
      if (isPending || unreadable.length > 0 || text === saved.text) return
      mutate({ pipeline_id: pipelineId, if_match: saved.revision, yaml: text })
    },
    [store, mutate, isPending, pipelineId],
  )

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const command = event.ctrlKey || event.metaKey
      const key = event.key.toLowerCase()
      if (command && key === 's') {
        event.preventDefault()
        save()
      } else if (!isTyping(event.target) && command && key === 'z') {
        event.preventDefault()
        if (event.shiftKey) store.redo()
        else store.undo()
      } else if (!isTyping(event.target) && !command && !event.altKey && key === 'n') {
        event.preventDefault()
        setAdding(true)
      }
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [store, save])

  useEffect(() => {
    const leave = (event: BeforeUnloadEvent) => {
      if (isDirty(store.getState())) event.preventDefault()
    }
    window.addEventListener('beforeunload', leave)
    return () => window.removeEventListener('beforeunload', leave)
  }, [store])

  function add(task: string): void {
    const { definition } = store.getState()
    const id = freshId(definition, task)
    const after = inspected === undefined ? {} : { after: `${inspected}.completed` }
    store.edit(`Add ${id}`, (before) => {
      const places = Object.values((before['layout'] ?? {}) as Record<string, { x: number; y: number }>)
      const at = { x: Math.max(-288, ...places.map(({ x }) => x)) + 288, y: places.at(-1)?.y ?? 0 }
      return withFlow(before, (flow) => added(flow, { id, fields: { task }, position: at }, after)).definition
    })
    setSelection({ nodes: new Set([id]), edges: new Set() })
  }

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div
        role="toolbar"
        aria-label="Editor"
        className="flex flex-wrap items-center gap-2 border-b border-line bg-surface px-4 py-2"
      >
        <AddNode open={adding} onOpenChange={setAdding} onAdd={add} />
        <Button size="icon" aria-label="Undo" disabled={!canUndo} onClick={() => store.undo()}>
          <Undo2 aria-hidden />
        </Button>
        <Button size="icon" aria-label="Redo" disabled={!canRedo} onClick={() => store.redo()}>
          <Redo2 aria-hidden />
        </Button>
        <Button aria-pressed={code} onClick={() => setCode(!code)}>
          <Code aria-hidden /> Code
        </Button>
        <span role="status" className="text-xs text-faint">
          {told ?? (dirty ? `changed since revision ${revision}` : `revision ${revision}`)}
        </span>
        <Button
          tone="primary"
          className="ml-auto"
          disabled={!dirty || errors > 0 || isPending}
          onClick={save}
        >
          <Save aria-hidden /> {isPending ? 'Saving…' : 'Save'}
        </Button>
      </div>
      {publish.error !== null && (
        <p role="alert" className="border-b border-line bg-surface px-4 py-2 text-sm text-danger">
          {problemOf(publish.error).message}
        </p>
      )}
      <div className="relative flex min-h-0 flex-1">
        <div className="min-w-0 flex-1">
          <EditCanvas selection={selection} onSelect={setSelection} />
        </div>
        {code && (
          <div className="absolute inset-0 z-10 border-l border-line bg-surface lg:static lg:w-[480px] lg:shrink-0">
            <CodeView />
          </div>
        )}
        {!code && inspected !== undefined && (
          <div
            role="region"
            aria-label={`Node ${inspected}`}
            className="absolute inset-0 z-10 overflow-y-auto border-l border-line bg-surface lg:static lg:w-[360px] lg:shrink-0"
          >
            <Inspector key={inspected} id={inspected} onClose={() => setSelection(NOTHING)} />
          </div>
        )}
      </div>
      <div className="border-t border-line bg-surface">
        <Problems
          problems={problems}
          onGo={(node) => setSelection({ nodes: new Set([node]), edges: new Set() })}
        />
      </div>
    </div>
  )
}
