'use client'

import { Card } from '@/components/ui/card'
import { NamedValues } from '@/components/ui/value-view'
import { CheckList } from './check-list'
import { FileLinks } from './file-links'
import { RollbackCard } from './rollback-card'
import { useRun } from './run-context'

/** The inputs and outputs of the run, and the revisions that run below it. */
export function SummaryTab() {
  const { view } = useRun()
  const labels = Object.entries(view.labels)
  const subPipelines = Object.entries(view.sub_pipelines ?? {})
  return (
    <div className="mx-auto grid w-full max-w-6xl gap-4 p-4 lg:grid-cols-2 lg:p-6">
      <Card title="Inputs">
        <div className="p-4">
          <FileLinks executionId={view.execution_id} values={view.inputs} label="Files among the inputs" />
          <NamedValues values={view.inputs} label="Inputs" />
        </div>
      </Card>
      <Card title="Outputs">
        <div className="p-4">
          {view.outputs === null ? (
            <p className="text-muted">
              {view.finished_at === null
                ? 'Outputs are available when the run completes.'
                : 'There are none.'}
            </p>
          ) : (
            <>
              <FileLinks
                executionId={view.execution_id}
                values={view.outputs}
                label="Files among the outputs"
              />
              <NamedValues values={view.outputs} label="Outputs" />
            </>
          )}
        </div>
      </Card>
      {view.rollback !== null && <RollbackCard rollback={view.rollback} />}
      {view.checks.length > 0 && (
        <Card title="Checks">
          <div className="p-4">
            <CheckList checks={view.checks} />
          </div>
        </Card>
      )}
      {subPipelines.length > 0 && (
        <Card title="Sub-pipelines">
          <ul aria-label="Sub-pipelines" className="flex flex-col gap-1 p-4">
            {subPipelines.map(([id, revision]) => (
              <li key={id} className="flex items-baseline gap-2">
                <code className="min-w-0 truncate">{id}</code>
                <span className="text-muted">revision {revision}</span>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {labels.length > 0 && (
        <Card title="Labels">
          <ul className="flex flex-wrap gap-2 p-4">
            {labels.map(([key, value]) => (
              <li
                key={key}
                className="rounded-md border border-line bg-sunken px-2 font-mono text-xs leading-6"
              >
                {key}: {value}
              </li>
            ))}
          </ul>
        </Card>
      )}
    </div>
  )
}
