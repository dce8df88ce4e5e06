'use client'

import { useParams } from 'next/navigation'
import { Suspense, type ReactNode } from 'react'
import { EditorHome } from '@/components/editor/editor-home'
import { PipelineFrame } from '@/components/pipelines/pipeline-frame'
import { PageTitle } from '@/components/shell/page-title'

export default function PipelineLayout({ children }: { children: ReactNode }) {
  const { id } = useParams<{ id: string }>()
  return (
    <Suspense>
      <EditorHome pipelineId={id}>
        <PipelineFrame pipelineId={id} title={(text) => <PageTitle text={text} />}>
          {children}
        </PipelineFrame>
      </EditorHome>
    </Suspense>
  )
}
