'use client'

import type { ReactNode } from 'react'
import { Editor } from '@/components/editor/editor'
import { useRestore } from '@/components/editor/use-restore'
import { ReadOnlyPipeline } from '@/components/pipelines/read-only-pipeline'
import { usePlace } from '@/components/pipelines/pipeline-frame'

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
