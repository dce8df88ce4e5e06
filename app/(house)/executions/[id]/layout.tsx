'use client'

import { useParams } from 'next/navigation'
import type { ReactNode } from 'react'
import { RunFrame } from '@/components/execution/run-frame'
import { PageTitle } from '@/components/shell/page-title'

export default function ExecutionLayout({ children }: { children: ReactNode }) {
  const { id } = useParams<{ id: string }>()
  return (
    <RunFrame executionId={id} title={(text) => <PageTitle text={text} />}>
      {children}
    </RunFrame>
  )
}
