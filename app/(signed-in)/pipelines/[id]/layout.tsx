'use client'

import { useParams } from 'next/navigation'
import { Suspense, type ReactNode } from 'react'
import { preloadOpening } from '@/components/api'
import { EditorSession } from '@/components/editor/editor-session'
import { useOptionalSession } from '@/components/editor/session-context'
import { PipelineFrame } from '@/components/pipelines/pipeline-frame'
import { PageTitle } from '@/components/shell/page-title'
import { namedBy } from '@/components/ui/named-by'

export default function PipelineLayout({ children }: { children: ReactNode }) {
  const id = namedBy(useParams<{ id: string }>().id)
  if (typeof window === 'undefined') preloadOpening(id)
  return (
    <Suspense>
      <EditorSession pipelineId={id}>
        <Frame pipelineId={id}>{children}</Frame>
      </EditorSession>
    </Suspense>
  )
}

function Frame({ pipelineId, children }: { pipelineId: string; children: ReactNode }) {
  const editing = useOptionalSession() !== null
  return (
    <PipelineFrame pipelineId={pipelineId} editing={editing} title={(text) => <PageTitle text={text} />}>
      {children}
    </PipelineFrame>
  )
}
