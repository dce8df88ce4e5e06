'use client'

import { useParams } from 'next/navigation'
import type { ReactNode } from 'react'
import { TabLinks } from '@/components/ui/tab-links'

export default function PipelineExecutionsLayout({ children }: { children: ReactNode }) {
  const { id } = useParams<{ id: string }>()
  return (
    <div className="mx-auto w-full max-w-[1600px] p-4 lg:p-6">
      <TabLinks
        label="Executions"
        base={`/pipelines/${id}/executions`}
        className="mb-4 bg-transparent px-0 lg:px-0"
        tabs={[
          { segment: '', text: 'Runs' },
          { segment: 'durations', text: 'Durations' },
        ]}
      />
      {children}
    </div>
  )
}
