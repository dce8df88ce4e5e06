'use client'

import { lazy, Suspense, type ReactNode } from 'react'
import { useRestore } from '@/components/editor/draft/use-restore'
import { Editor } from '@/components/editor/editor'
import { usePipelinePage } from '@/components/pipelines/pipeline-frame'
import { SkeletonRows } from '@/components/ui/states'

/** The editor does not load it. */
const ReadOnlyPipeline = lazy(async () => ({
  default: (await import('@/components/pipelines/read-only-pipeline')).ReadOnlyPipeline,
}))

export default function EditorLayout({ children }: { children: ReactNode }) {
  const restore = useRestore()
  const { older, mayEdit } = usePipelinePage()
  return (
    <>
      {mayEdit && !older ? (
        <Editor />
      ) : (
        <Suspense fallback={<SkeletonRows />}>
          <ReadOnlyPipeline restore={restore} />
        </Suspense>
      )}
      {children}
    </>
  )
}
