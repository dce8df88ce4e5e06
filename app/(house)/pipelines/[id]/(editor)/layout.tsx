'use client'

import type { ReactNode } from 'react'
import { useRestore } from '@/components/editor/draft/use-restore'
import { Editor } from '@/components/editor/editor'
import { usePlace } from '@/components/pipelines/pipeline-frame'
import { ReadOnlyPipeline } from '@/components/pipelines/read-only-pipeline'

export default function EditorLayout({ children }: { children: ReactNode }) {
  const restore = useRestore()
  const { older, mayEdit } = usePlace()
  return (
    <>
      {mayEdit && !older ? <Editor /> : <ReadOnlyPipeline restore={restore} />}
      {children}
    </>
  )
}
