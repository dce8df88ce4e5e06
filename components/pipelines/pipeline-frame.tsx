'use client'

import { useQuery } from '@tanstack/react-query'
import { History, SearchX } from 'lucide-react'
import { useParams, usePathname, useSearchParams } from 'next/navigation'
import { createContext, useContext, useMemo, type ReactNode } from 'react'
import { api, namesNothing, problemOf, type PipelineDocument } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Copyable } from '@/components/ui/copyable'
import { Link } from '@/components/ui/link'
import { EmptyState, ErrorState, Skeleton } from '@/components/ui/states'
import { TabLinks } from '@/components/ui/tab-links'
import { RelativeTime } from '@/components/ui/time'
import { parseYaml } from '@/core/pipeline/yaml/yaml'
import { RunButton } from './run-button'

/** What the tabs of a pipeline show. */
type PipelinePage = {
  /** The revision that is shown; null: none is published yet. */
  readonly document: PipelineDocument | null
  /** `?revision=` names a revision that is not the current one. */
  readonly older: boolean
  readonly mayEdit: boolean
}

const PipelinePageContext = createContext<PipelinePage | null>(null)

export function usePipelinePage(): PipelinePage {
  const page = useContext(PipelinePageContext)
  if (page === null) throw new Error('usePipelinePage belongs below a PipelineFrame')
  return page
}

/** The revision that the tabs show. Tabs that need one are not drawn without it. */
export function usePipeline(): PipelineDocument {
  const { document } = usePipelinePage()
  if (document === null) throw new Error('usePipeline needs a pipeline that is published')
  return document
}

/** The revision that `?revision=` names. */
function useAskedRevision(): number | null {
  const asked = Number(useSearchParams().get('revision') ?? '')
  return Number.isInteger(asked) && asked > 0 ? asked : null
}

/** The frame of a pipeline: name, revision, Run, tabs, in as little height as they need. */
export function PipelineFrame({
  pipelineId,
  editing,
  title,
  children,
}: {
  pipelineId: string
  /** The editor is open: it stays even when the pipeline is removed. */
  editing: boolean
  title: (text: string) => ReactNode
  children: ReactNode
}) {
  const asked = useAskedRevision()
  const opening = useQuery(api.pipelines.open.queryOptions({ pipeline_id: pipelineId }))
  const current = opening.data?.pipeline ?? null
  const older = asked !== null && current !== null && asked !== current.revision
  const earlier = useQuery(
    api.pipelines.get.queryOptions(
      { pipeline_id: pipelineId, revision: asked ?? 1 },
      { enabled: older, staleTime: Infinity },
    ),
  )
  // A page that was loaded stays when the connection is lost later; the parts that need it report it.
  const failed = opening.data === undefined ? opening : older && earlier.data === undefined ? earlier : null
  const error = failed?.error ?? null
  const shown = older ? (earlier.data ?? null) : current
  const draft = opening.data?.draft ?? null
  const mayEdit = opening.data?.may_edit ?? false
  // Memoized: the address changes with every selection in the editor, and this does not.
  const page = useMemo(() => ({ document: shown, older, mayEdit }), [shown, older, mayEdit])
  const isMissing = error === null || namesNothing(problemOf(error))
  if (error !== null || (opening.data !== undefined && current === null && draft === null && !editing))
    return (
      <>
        {title('Pipeline')}
        {isMissing ? (
          <EmptyState
            icon={SearchX}
            heading="h1"
            title={older ? `There is no revision ${asked}` : 'Pipeline not found'}
            action={
              <Button asChild>
                {older ? (
                  <Link href={`/pipelines/${pipelineId}`}>Open the current revision</Link>
                ) : (
                  <Link href="/pipelines">See all pipelines</Link>
                )}
              </Button>
            }
          >
            {older ? (
              <>
                The current revision of <code>{pipelineId}</code> is {current?.revision}.
              </>
            ) : (
              <>
                <code className="break-all">{pipelineId}</code> does not exist. It may have been deleted.
              </>
            )}
          </EmptyState>
        ) : (
          <ErrorState
            what="The pipeline could not be loaded."
            error={problemOf(error)}
            retry={() => void opening.refetch()}
          />
        )}
      </>
    )
  if (opening.data === undefined || (older && shown === null))
    return (
      <div role="status" aria-label="Loading the pipeline">
        {title('Pipeline')}
        <div className="flex h-12 items-center gap-3 border-b border-line bg-surface px-4">
          <Skeleton className="h-5 w-56" />
        </div>
      </div>
    )
  const name = shown?.name ?? nameIn(draft?.text ?? '') ?? pipelineId
  return (
    <div className="flex h-[calc(100dvh-3rem)] flex-col lg:h-dvh">
      {title(name)}
      <Header id={pipelineId} name={name} document={shown} current={current} />
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
        <PipelinePageContext value={page}>
          <Tab published={shown !== null}>{children}</Tab>
        </PipelinePageContext>
      </div>
    </div>
  )
}

function Header({
  id,
  name,
  document,
  current,
}: {
  id: string
  name: string
  document: PipelineDocument | null
  current: PipelineDocument | null
}) {
  const editing = useEditing()
  return (
    <header className="flex flex-wrap items-center gap-x-4 border-b border-line bg-surface px-4">
      <div className="flex min-h-11 min-w-0 flex-1 items-baseline gap-3 py-2.5">
        <h1
          title={document?.description ?? undefined}
          className="max-w-full truncate text-base leading-6 font-semibold tracking-[-0.01em] max-sm:break-words max-sm:whitespace-normal"
        >
          {name}
        </h1>
        <span className="hidden min-w-0 shrink items-baseline gap-x-3 overflow-hidden text-xs whitespace-nowrap text-faint md:flex">
          <Copyable text={id} />
          {document === null ? (
            <span>not published yet</span>
          ) : (
            <>
              <span>
                revision {document.revision}
                {document.revision !== document.current_revision && (
                  <span className="text-warning"> of {document.current_revision}: not the current one</span>
                )}
              </span>
              <span className="hidden truncate xl:inline">
                saved <RelativeTime at={document.created_at} /> by {document.created_by}
              </span>
            </>
          )}
        </span>
      </div>
      <TabLinks
        label="Pipeline"
        base={`/pipelines/${id}`}
        className="max-md:order-last max-md:-mx-4 max-md:w-[calc(100%+2rem)] md:border-b-0 md:px-0"
        tabs={[
          { segment: '', text: 'Editor', within: ['code'] },
          { segment: 'rehearse', text: 'Rehearse' },
          ...(document === null
            ? []
            : [
                { segment: 'executions', text: 'Executions', within: ['executions/durations'] },
                { segment: 'revisions', text: 'Revisions' },
              ]),
        ]}
      />
      {current !== null && (
        <RunButton pipelineId={id} name={current.name} primary={!editing} document={document ?? current} />
      )}
    </header>
  )
}

/** Run is offered only where a revision exists. The editor and the rehearsal have their own primary actions. */
function useEditing(): boolean {
  const path = usePathname()
  const { id } = useParams<{ id: string }>()
  return ['', '/code', '/rehearse'].some((tab) => path === `/pipelines/${id}${tab}`)
}

function Tab({ published, children }: { published: boolean; children: ReactNode }) {
  if (useEditing() || published) return children
  return (
    <EmptyState icon={History} title="Not published yet">
      Open the editor and publish it. Then it can run.
    </EmptyState>
  )
}

/** The name in a draft; null where it has none or cannot be parsed. */
function nameIn(text: string): string | null {
  const parsed = parseYaml(text)
  if (!parsed.ok || typeof parsed.value !== 'object' || parsed.value === null) return null
  return 'name' in parsed.value && typeof parsed.value.name === 'string' ? parsed.value.name : null
}
