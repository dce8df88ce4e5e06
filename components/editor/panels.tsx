'use client'

import { useEffect, useState, type ComponentType } from 'react'
import { ErrorState, Skeleton } from '@/components/ui/states'

/**
 * Panels are loaded after the canvas, so that the graph is shown sooner. A panel that cannot be loaded says so and offers to try again.
 */
function panel<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let loaded: ComponentType<Props> | null = null
  const fetched = async () => (loaded ??= await load())
  function Panel(props: Props) {
    const [, setTries] = useState(0)
    const [failed, setFailed] = useState(false)
    const missing = loaded === null && !failed
    useEffect(() => {
      let current = true
      if (missing)
        fetched().then(
          () => current && setTries((tries) => tries + 1),
          () => current && setFailed(true),
        )
      return () => {
        current = false
      }
    }, [missing])
    if (loaded !== null) {
      const Loaded = loaded
      return <Loaded {...props} />
    }
    return failed ? (
      <ErrorState
        what="This panel could not be loaded."
        error={{ message: 'The server cannot be reached. Your draft is safe.' }}
        retry={() => setFailed(false)}
      />
    ) : (
      <div role="status" aria-label="Loading the panel" className="p-6">
        <Skeleton className="h-64 w-full" />
      </div>
    )
  }
  return { Panel, fetched }
}

const panels = {
  inspector: panel(() => import('./node/inspector').then(({ Inspector }) => Inspector)),
  code: panel(() => import('./code/code-view').then(({ CodeView }) => CodeView)),
  outline: panel(() => import('./outline/outline').then(({ Outline }) => Outline)),
  pipeline: panel(() => import('./node/pipeline-form').then(({ PipelineForm }) => PipelineForm)),
  publish: panel(() => import('./draft/publish-form').then(({ PublishForm }) => PublishForm)),
  import: panel(() => import('@/components/forms/import-form').then(({ ImportForm }) => ImportForm)),
}

export const CodeView = panels.code.Panel
export const Outline = panels.outline.Panel
export const Inspector = panels.inspector.Panel
export const PipelineForm = panels.pipeline.Panel
export const PublishForm = panels.publish.Panel
export const ImportForm = panels.import.Panel

/** What loads each of them, for later. */
export const panelLoads = Object.values(panels).map(({ fetched }): (() => Promise<unknown>) => fetched)
