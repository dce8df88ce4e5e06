'use client'

import { useParams } from 'next/navigation'
import type { ReactNode } from 'react'
import { RunFrame } from '@/components/execution/run-frame'
import { PageTitle } from '@/components/shell/page-title'
import { namedBy } from '@/components/ui/named-by'

export default function ExecutionLayout({ children }: { children: ReactNode }) {
  const id = namedBy(useParams<{ id: string }>().id)
  return (
    <RunFrame executionId={id} title={(text) => <PageTitle text={text} />}>
      {children}
    </RunFrame>
  )
}
