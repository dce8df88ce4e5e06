'use client'

import { useQuery } from '@tanstack/react-query'
import { usePathname, useSearchParams } from 'next/navigation'
import { createContext, useContext, type ReactNode } from 'react'
import { api, problemOf, type PipelineDocument } from '@/components/api'
import { Copyable } from '@/components/ui/copyable'
import { ErrorState, Skeleton } from '@/components/ui/states'
import { TabLinks } from '@/components/ui/tab-links'
import { RelativeTime } from '@/components/ui/time'
import { RunButton } from './run-button'

const PipelineContext = createContext<PipelineDocument | null>(null)

/** The pipeline that the tabs below its frame show. */
export function usePipeline(): PipelineDocument {
  const document = useContext(PipelineContext)
  if (document === null) throw new Error('usePipeline belongs below a PipelineFrame')
  return document
}

/** The frame of a pipeline: name, revision, Run, tabs. `?revision=` shows an older one. */
export function PipelineFrame({
  pipelineId,
  title,
  children,
}: {
  pipelineId: string
  title: (text: string) => ReactNode
  children: ReactNode
}) {
  // The editor's first action is to save.
  const editing = usePathname().endsWith('/edit')
  const asked = Number(useSearchParams().get('revision') ?? '')
  const revision = Number.isInteger(asked) && asked > 0 ? asked : undefined
  const { data, error, refetch } = useQuery(
    api.pipelines.get.queryOptions({
      pipeline_id: pipelineId,
      ...(revision === undefined ? {} : { revision }),
    }),
  )
  if (error !== null) {
    const problem = problemOf(error)
    return (
      <>
        {title('Pipeline')}
        <ErrorState
          what={
            problem.code === 'not_found'
              ? `There is no pipeline ${pipelineId}.`
              : 'The pipeline could not be loaded.'
          }
          error={problem}
          retry={() => void refetch()}
        />
      </>
    )
  }
  if (data === undefined)
    return (
      <div role="status" aria-label="Loading the pipeline">
        {title('Pipeline')}
        <div className="flex flex-col gap-3 border-b border-line bg-surface px-4 py-4 lg:px-6">
          <Skeleton className="h-6 w-56" />
          <Skeleton className="h-3.5 w-96 max-w-full" />
        </div>
      </div>
    )
  return (
    <div className="flex h-[calc(100dvh-3rem)] flex-col lg:h-dvh">
      {title(data.name)}
      <header className="border-b border-line bg-surface px-4 pt-4 pb-3 lg:px-6">
        <div className="flex items-start gap-4">
          <div className="min-w-0">
            <h1 className="truncate text-xl font-semibold tracking-[-0.01em]">{data.name}</h1>
            {data.description !== null && (
              <p className="mt-0.5 max-w-[80ch] text-muted">{data.description}</p>
            )}
          </div>
          <div className="ml-auto">
            <RunButton pipelineId={data.id} name={data.name} primary={!editing} />
          </div>
        </div>
        <p className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-xs text-faint">
          <Copyable text={data.id} />
          <span>
            revision {data.revision}
            {data.revision !== data.current_revision && (
              <span className="text-warning"> of {data.current_revision}: not the current one</span>
            )}
          </span>
          <span>
            saved <RelativeTime at={data.created_at} /> by {data.created_by}
          </span>
        </p>
      </header>
      <TabLinks
        label="Pipeline"
        base={`/pipelines/${data.id}`}
        tabs={[
          { segment: '', text: 'Graph' },
          { segment: 'edit', text: 'Edit' },
          { segment: 'code', text: 'Code' },
          { segment: 'executions', text: 'Executions' },
          { segment: 'revisions', text: 'Revisions' },
        ]}
      />
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
        <PipelineContext value={data}>{children}</PipelineContext>
      </div>
    </div>
  )
}
