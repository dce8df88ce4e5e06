'use client'

import { useMutation, useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { api, problemOf } from '@/components/api'
import { Field, Select } from '@/components/ui/field'
import { runText } from '@/components/ui/run-badge'
import { useNow } from '@/components/ui/time'
import { relativeText } from '@/components/ui/times'
import { medians, planOfExecution } from './durations'
import type { RehearsedPipeline } from '@/components/editor/model/rehearsal/rehearser'
import {
  fittedTo,
  withHistory,
  type ScenarioStore,
  type Scenario,
} from '@/components/editor/model/rehearsal/scenario'

/** Runs from which one can begin. */
const MOST_RUNS = 10

/** Where it comes from how long things take: estimates, the median of earlier runs, or one run with all that happened to it. */
export function DurationsFrom({
  pipelineId,
  pipeline,
  scenario,
  durations,
}: {
  pipelineId: string
  pipeline: RehearsedPipeline
  scenario: ScenarioStore
  durations: Scenario['durations']
}) {
  const id = useId()
  const now = useNow()
  const { data } = useQuery(
    api.executions.list.queryOptions({
      pipeline: pipelineId,
      status: ['completed', 'failed', 'cancelled'],
      limit: MOST_RUNS,
    }),
  )
  const runs = data?.items ?? []
  const take = useMutation({
    mutationFn: async (from: string) => {
      if (from === 'estimates') return withHistory({})
      if (from === 'medians') return withHistory(await medians(pipelineId))
      const planned = await planOfExecution(from)
      return () => planned
    },
    onSuccess: (edit, from) => {
      scenario.change((plan) => fittedTo(edit(plan), pipeline))
      scenario.setState({ durations: from === 'estimates' ? null : from })
    },
  })
  const problem = take.error === null ? undefined : problemOf(take.error).message
  return (
    <Field
      id={id}
      label="Durations"
      error={problem}
      hint={
        take.isPending
          ? 'Reading…'
          : durations === null
            ? 'The estimate of each node, or one second without an estimate.'
            : durations === 'medians'
              ? 'The estimate of each node, or the median of the last completed runs.'
              : 'Everything that happened in that run happens again, for the nodes that the draft still has.'
      }
    >
      <Select
        id={id}
        value={take.isPending ? take.variables : (durations ?? 'estimates')}
        disabled={take.isPending}
        aria-describedby={problem === undefined ? `${id}-hint` : `${id}-error`}
        onChange={({ target }) => take.mutate(target.value)}
      >
        <option value="estimates">as estimated</option>
        {runs.length > 0 && (
          <>
            <option value="medians">median of earlier runs</option>
            <optgroup label="As in an earlier run, with everything that happened in it">
              {runs.map(({ execution_id: id, created_at: at, ...run }) => (
                <option key={id} value={id}>
                  {runText(run)}
                  {run.mocked && ', with mocks'} {now === 0 ? '' : relativeText(Date.parse(at), now)}
                </option>
              ))}
            </optgroup>
          </>
        )}
      </Select>
    </Field>
  )
}
