import { ArrowLeftRight } from 'lucide-react'
import { useMemo, type ReactNode } from 'react'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { cn } from '@/components/ui/class-names'
import { FieldChanges } from '@/components/ui/changes-list'
import { Link } from '@/components/ui/link'
import { RunBadge } from '@/components/ui/run-badge'
import { Duration, RelativeTime } from '@/components/ui/time'
import { reasonText, rejectedBy } from '@/core/engine/rejection'
import type { ExecutionView } from '@/core/engine/view/view'
import { ChainsCompared } from './chains-compared'
import { changeText, SideMark, type ComparedRun } from './comparison-parts'
import { compareNodes, valueChanges } from './compare-runs'
import { NodesCompared } from './nodes-compared'

/** Two runs side by side. `after` is the run of the page, `before` its baseline. */
export function Comparison({ before, after }: { before: ComparedRun; after: ComparedRun }) {
  const rows = useMemo(() => compareNodes(before.view, after.view), [before.view, after.view])
  const inputs = useMemo(
    () => valueChanges(before.view.inputs, after.view.inputs),
    [before.view.inputs, after.view.inputs],
  )
  const nameOf = (id: string) =>
    (after.pipeline.nodes.get(id) ?? before.pipeline.nodes.get(id))?.definition.name ?? id
  return (
    <>
      <Sides before={before.view} after={after.view} />
      <Card title="Inputs" count={inputs.length === 0 ? undefined : inputs.length}>
        {inputs.length === 0 ? (
          <p className="px-4 py-4 text-muted">Both got the same inputs.</p>
        ) : (
          <FieldChanges fields={inputs} className="p-4" />
        )}
      </Card>
      <NodesCompared rows={rows} before={before.view} after={after.view} nameOf={nameOf} />
      <ChainsCompared before={before} after={after} nameOf={nameOf} />
    </>
  )
}

function Sides({ before, after }: { before: ExecutionView; after: ExecutionView }) {
  const [was, is] = [before, after].map(durationOf)
  const samePipeline = before.pipeline_id === after.pipeline_id
  const [from, to] = [before.revision, after.revision].toSorted((a, b) => a - b)
  const here = `/executions/${after.execution_id}/compare`
  return (
    <section aria-label="The two runs" className="rounded-lg border border-line bg-surface shadow-card">
      <div className="grid divide-y divide-line sm:grid-cols-2 sm:divide-x sm:divide-y-0">
        <Side side="before" view={before} />
        <Side side="after" view={after} />
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-4 py-2">
        <p className="mr-auto min-w-0">
          {was != null && is != null && `This run ${changeText(was, is)}. `}
          {!samePipeline ? (
            <span className="text-warning">
              They are runs of two pipelines; nodes of one id are compared.
            </span>
          ) : from === to ? (
            <span className="text-muted">Both ran revision {to}.</span>
          ) : (
            <Link
              href={`/pipelines/${after.pipeline_id}/revisions?from=${from}&to=${to}`}
              className="font-medium text-accent hover:underline"
            >
              What differs between revisions {from} and {to}
            </Link>
          )}
        </p>
        <Button asChild size="small" tone="quiet">
          <Link href={`/executions/${before.execution_id}/compare?with=${after.execution_id}`}>
            <ArrowLeftRight aria-hidden /> Swap
          </Link>
        </Button>
        <Button asChild size="small">
          <Link href={here}>Compare with another…</Link>
        </Button>
      </div>
    </section>
  )
}

const durationOf = ({ first_started_at: start, finished_at: end }: ExecutionView): number | null =>
  start === null || end === null ? null : Date.parse(end) - Date.parse(start)

function Side({ side, view }: { side: 'before' | 'after'; view: ExecutionView }) {
  return (
    <div className="min-w-0 px-4 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <SideMark side={side} />
        <h2 className="text-sm font-semibold">{side === 'before' ? 'Baseline' : 'This run'}</h2>
        <RunBadge run={view} className="ml-auto" />
      </div>
      <Link
        href={`/executions/${view.execution_id}`}
        className="mt-1 inline-block max-w-full truncate rounded-sm font-mono text-xs text-muted hover:text-accent"
      >
        {view.execution_id}
      </Link>
      <dl className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-xs">
        <Fact label="Took">
          <Duration from={view.first_started_at ?? view.created_at} to={view.finished_at} />
        </Fact>
        <Fact label="Revision">{view.revision}</Fact>
        <Fact label="Started">
          <RelativeTime at={view.first_started_at ?? view.created_at} />
        </Fact>
      </dl>
      {view.error !== null && (
        <p
          className={cn(
            'mt-1.5 line-clamp-3 break-words',
            rejectedBy(view.error) === null ? 'text-failed' : 'text-rejected',
          )}
        >
          <code>{view.error.kind}</code> {reasonText(view.error)}
        </p>
      )}
    </div>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline gap-1.5">
      <dt className="text-faint">{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}
