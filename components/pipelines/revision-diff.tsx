'use client'

import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api, problemOf, type PipelineDocument } from '@/components/api'
import { GraphCanvas } from '@/components/graph/canvas'
import { drawRevisionChanges } from '@/components/graph/model/revision-changes'
import { Card } from '@/components/ui/card'
import { ChangesList } from '@/components/ui/changes-list'
import { ErrorState, SkeletonRows } from '@/components/ui/states'
import type { DefinitionDiff } from '@/core/pipeline/diff/diff'
import { countDiff, describeDiff, nodeNames } from '@/core/pipeline/diff/describe'
import { usePipeline } from './pipeline-frame'
import { useCompiled } from './use-compiled'

/** The differences between two revisions: on the graph, and field by field. */
export function RevisionDiff({ from, to }: { from: number; to: number }) {
  const { id } = usePipeline()
  const diff = useQuery(
    api.pipelines.diff.queryOptions({ pipeline_id: id, from, to }, { staleTime: Infinity }),
  )
  const documents = useQueries({
    queries: [from, to].map((revision) =>
      api.pipelines.get.queryOptions({ pipeline_id: id, revision }, { staleTime: Infinity }),
    ),
  })
  const error = diff.error ?? documents.find((each) => each.error !== null)?.error ?? null
  const [before, after] = documents.map(({ data }) => data)
  if (error !== null)
    return (
      <ErrorState
        what={`Revisions ${from} and ${to} cannot be compared.`}
        error={problemOf(error)}
        retry={() => void diff.refetch()}
      />
    )
  if (diff.data === undefined || before === undefined || after === undefined) return <SkeletonRows rows={4} />
  return <Difference from={from} to={to} diff={diff.data} before={before} after={after} />
}

function Difference({
  from,
  to,
  diff,
  before,
  after,
}: {
  from: number
  to: number
  diff: DefinitionDiff
  before: PipelineDocument
  after: PipelineDocument
}) {
  const [selected, setSelected] = useState<string | null>(null)
  const [old, now] = [useCompiled(before), useCompiled(after)]
  const isAwaited = old === null || now === null
  const drawing = useMemo(
    () => (old?.ok && now?.ok ? drawRevisionChanges(old.pipeline, now.pipeline, diff) : null),
    [old, now, diff],
  )
  const positions = useMemo(
    () => ({ ...before.definition.layout, ...after.definition.layout }),
    [before, after],
  )
  const changes = useMemo(
    () => describeDiff(diff, nodeNames(after.definition, before.definition)),
    [diff, before, after],
  )
  const title = `From revision ${from} to ${to}`
  if (changes.length === 0)
    return (
      <Card title={title}>
        <p className="px-4 py-6 text-muted">
          Both revisions do the same. Only comments, order or formatting may differ.
        </p>
      </Card>
    )
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Card title={title} action={<span className="text-xs text-faint">{countDiff(diff)}</span>}>
        {(isAwaited || drawing !== null) && (
          <div className="h-80">
            {drawing !== null && (
              <GraphCanvas
                drawing={drawing}
                positions={positions}
                run={false}
                selected={selected}
                onSelect={setSelected}
              />
            )}
          </div>
        )}
      </Card>
      <Card title="In words">
        <ChangesList changes={changes} onChoose={setSelected} />
      </Card>
    </div>
  )
}
