import { z } from 'zod'
import type { CompiledPipeline } from '@/core/pipeline/definition/compile'
import type { Issue } from '@/core/pipeline/issue'
import { name } from '@/core/pipeline/definition/definition'
import type { Result } from '@/core/pipeline/json'
import { issuesOfSchema } from '@/core/pipeline/definition/schema-issues'
import { didYouMean } from '@/core/pipeline/suggest'
import { rehearsalPlanSchema } from './plan'
import { rehearse, type Rehearsal } from './rehearse'

const nodeStatus = z.enum([
  'pending',
  'queued',
  'running',
  'waiting',
  'retrying',
  'completed',
  'failed',
  'skipped',
  'cancelled',
])
const runStatus = z.enum(['pending', 'running', 'paused', 'waiting', 'completed', 'failed', 'cancelled'])

/** A rehearsal that is stored as a test of its pipeline: a plan and the expected outcome. What it does not name may be anything. */
const rehearsalCaseSchema = z.strictObject({
  name,
  plan: rehearsalPlanSchema,
  expect: z.strictObject({
    status: runStatus.optional(),
    nodes: z.record(z.string(), nodeStatus).default({}),
  }),
})

export type RehearsalCase = z.input<typeof rehearsalCaseSchema>

/** Reads a case as it stands in a definition; answers it as it was written, or what is wrong with it. */
export function readRehearsalCase(value: unknown): Result<RehearsalCase, readonly Issue[]> {
  const parsed = rehearsalCaseSchema.safeParse(value)
  return parsed.success
    ? { ok: true, value: value as RehearsalCase }
    : { ok: false, error: issuesOfSchema(parsed.error.issues, rehearsalCaseSchema, value) }
}

export type Difference = {
  /** A node, or null for the run. */
  readonly node: string | null
  readonly expected: string
  readonly actual: string
  /** In a sentence, with the reason that the engine gave. */
  readonly message: string
}

export type CaseResult =
  | { readonly ok: true; readonly differences: readonly Difference[]; readonly rehearsal: Rehearsal }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/** Rehearses a case; it holds when there are no differences. Answers the issues of a plan that does not fit the pipeline. */
export function runRehearsalCase(pipeline: CompiledPipeline, { plan, expect }: RehearsalCase): CaseResult {
  const result = rehearse(pipeline, plan)
  if (!result.ok) return result
  const { rehearsal } = result
  const differences: Difference[] = []
  const { status } = rehearsal.end
  if (expect.status !== undefined && expect.status !== status) {
    const why = rehearsal.view.error?.message ?? rehearsal.summary
    const message = `${onInvented(rehearsal.restsOn)}the run is ${status} where ${expect.status} was expected: ${why}`
    differences.push({ node: null, expected: expect.status, actual: status, message })
  }
  for (const [node, expected] of Object.entries(expect.nodes ?? {})) {
    const found = rehearsal.nodes.get(node)
    if (found?.status === expected) continue
    const actual = found?.status ?? 'unknown'
    const why = found === undefined ? unknownNode(pipeline, node) : reasonOf(found)
    const first = onInvented(found?.restsOn ?? [])
    const message = `${first}${node} is ${actual} where ${expected} was expected${why === '' ? '' : `: ${why}`}`
    differences.push({ node, expected, actual, message })
  }
  return { ok: true, differences, rehearsal }
}

/** Said first: what follows is no more certain than the values that it rests on. */
const onInvented = (names: readonly string[]): string =>
  names.length === 0
    ? ''
    : `on made-up values (${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''}), `

function unknownNode(pipeline: CompiledPipeline, node: string): string {
  // One letter is no other one mistyped: its node was deleted.
  return (node.length > 1 ? didYouMean(node, pipeline.nodes.keys()) : undefined) ?? 'there is no such node'
}

function reasonOf(found: NonNullable<ReturnType<Rehearsal['nodes']['get']>>): string {
  return found.error?.message ?? found.skipReason ?? found.waitingFor?.text ?? ''
}
