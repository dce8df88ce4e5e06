import { client, GOOD } from '@/components/api'
import type { Definition } from '@/components/editor/model/draft/draft'
import type { Entry } from '@/core/engine/event'
import { REHEARSAL_LIMITS, type RehearsalPlan } from '@/core/rehearsal/plan'
import { createWorkerRehearser } from './open-rehearser'

/** Plans that come of earlier runs. What cannot be had rejects with a sentence for people. */

/** Runs whose durations are looked at. */
const MOST_RUNS = 20
const PAGE = 2_000

/** Median duration of each node over the last completed runs of a pipeline, in milliseconds. */
export async function medians(pipelineId: string): Promise<NonNullable<RehearsalPlan['history']>> {
  const { items } = await client.executions.list.query({
    ...GOOD,
    pipeline: pipelineId,
    limit: MOST_RUNS,
  })
  const views = await Promise.all(
    items.map(({ execution_id }) => client.executions.get.query({ execution_id })),
  )
  const durations = new Map<string, number[]>()
  for (const { nodes } of views)
    for (const [id, { duration_ms: ms, status }] of Object.entries(nodes)) {
      if (status !== 'completed' || ms === null) continue
      const own = durations.get(id)
      if (own === undefined) durations.set(id, [ms])
      else own.push(ms)
    }
  return Object.fromEntries([...durations].map(([id, all]) => [id, median(all)]))
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : Math.round((upper + (sorted[middle - 1] ?? 0)) / 2)
}

/** The scenario in which a run took place. */
export async function planOfExecution(executionId: string): Promise<RehearsalPlan> {
  const entries: Entry[] = []
  let page
  do {
    page = await client.executions.entries.query({
      execution_id: executionId,
      after: entries.at(-1)?.event.seq ?? 0,
      limit: PAGE,
    })
    for (const entry of page.entries) entries.push(entry)
    if (entries.length > 4 * REHEARSAL_LIMITS.events)
      throw new Error('The run has too many events to be rehearsed.')
  } while (page.more)
  if (!page.closed) throw new Error('The run has not ended. Choose a run that has.')
  const { definition } = await client.pipelines.get.query({
    pipeline_id: page.pipeline_id,
    revision: page.revision,
  })
  // A rehearser of its own: the one of the page goes on with what is shown.
  const rehearser = createWorkerRehearser()
  try {
    const reply = await rehearser.ask(definition as unknown as Definition, { kind: 'run', entries })
    if (!reply.ok) throw new Error('The run could not be read.')
    const { answer } = reply
    if (answer.kind === 'plan') return answer.plan
    throw new Error(
      answer.kind === 'no_plan'
        ? `It cannot be rehearsed: ${answer.message}.`
        : 'Its revision cannot be run.',
    )
  } finally {
    rehearser.drop()
  }
}
