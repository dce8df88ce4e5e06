'use client'

import { SearchX } from 'lucide-react'
import { Link } from '@/components/ui/link'
import type { ReactNode } from 'react'
import { namesNothing } from '@/components/api'
import { Button } from '@/components/ui/button'
import { EmptyState, ErrorState, Skeleton } from '@/components/ui/states'
import { runText } from '@/components/ui/run-badge'
import { TabLinks } from '@/components/ui/tab-links'
import { RunHeader } from './run-header'
import { RunProvider, useRunPart } from './run-context'
import { Scrubbed, useScrub } from './scrub'
import { ScrubBar } from './scrub-bar'
import { tallyOf } from './tally'

/** The frame of a run: its header, its tabs and the loaded run stay while the tab below changes. */
export function RunFrame({
  executionId,
  title,
  children,
}: {
  executionId: string
  /** Draws the title of the tab from the state of the run. */
  title: (text: string) => ReactNode
  children: ReactNode
}) {
  return (
    <RunProvider
      executionId={executionId}
      fallback={(loading) => (
        <>
          {title('Run')}
          {loading.state === 'failed' ? (
            namesNothing(loading.problem) ? (
              <EmptyState
                icon={SearchX}
                heading="h1"
                title={loading.removed ? 'This run was removed' : 'Run not found'}
                action={
                  <Button asChild>
                    <Link href="/executions">See all executions</Link>
                  </Button>
                }
              >
                {loading.removed ? (
                  <>
                    The record of <code>{executionId}</code> was removed while you viewed it: by somebody, or
                    because its retention period ended.
                  </>
                ) : (
                  <>
                    <code className="break-all">{executionId}</code> may be mistyped, or its record was
                    removed at the end of its retention period.
                  </>
                )}
              </EmptyState>
            ) : (
              <ErrorState what="The run could not be loaded." error={loading.problem} retry={loading.retry} />
            )
          ) : (
            <RunSkeleton />
          )}
        </>
      )}
    >
      <Scrubbed>
        <Frame executionId={executionId} title={title}>
          {children}
        </Frame>
      </Scrubbed>
    </RunProvider>
  )
}

function Frame({
  executionId,
  title,
  children,
}: {
  executionId: string
  title: (text: string) => ReactNode
  children: ReactNode
}) {
  return (
    <div className="flex h-[calc(100dvh-3rem)] flex-col lg:h-dvh">
      <Title title={title} />
      <RunHeader />
      <Tabs executionId={executionId} />
      <ScrubBar />
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">{children}</div>
    </div>
  )
}

/** Of the run in the present, whatever instant is shown. */
function Title({ title }: { title: (text: string) => ReactNode }) {
  const text = useRunPart(({ view, pipeline }) => {
    const name = pipeline.definition.name ?? view.pipeline_id
    const { running } = tallyOf(view.nodes)
    const state = view.status === 'running' && running > 0 ? `● ${running} running` : runText(view)
    return `${state} · ${name}`
  }, useScrub().live)
  return title(text)
}

function Tabs({ executionId }: { executionId: string }) {
  const count = useRunPart(({ events }) => events.length)
  const shown = useScrub().params('')
  const query = shown.size === 0 ? '' : `?${shown}`
  return (
    <TabLinks
      label="Run"
      base={`/executions/${executionId}`}
      tabs={[
        { segment: 'graph', text: 'Graph', query },
        { segment: 'timeline', text: 'Timeline', query },
        { segment: 'events', text: 'Events', count, query },
        { segment: 'variables', text: 'Variables', query },
        { segment: 'artifacts', text: 'Files', query },
        { segment: 'summary', text: 'Inputs and outputs', query },
        { segment: 'compare', text: 'Compare' },
      ]}
    />
  )
}

function RunSkeleton() {
  return (
    <div role="status" aria-label="Loading the run" className="flex h-[calc(100dvh-3rem)] flex-col lg:h-dvh">
      <div className="flex flex-col gap-3 border-b border-line bg-surface px-4 py-4 lg:px-6">
        <div className="flex items-center gap-3">
          <Skeleton className="h-6 w-56" />
          <Skeleton className="h-6 w-24 rounded-full" />
        </div>
        <Skeleton className="h-3.5 w-96 max-w-full" />
      </div>
      <div className="flex flex-1 flex-wrap content-center items-center justify-center gap-12 overflow-hidden p-8">
        {Array.from({ length: 4 }, (_, index) => (
          <Skeleton key={index} className="h-20 w-60" />
        ))}
      </div>
    </div>
  )
}
