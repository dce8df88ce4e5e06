import { diffArrays } from 'diff'
import type { Segment } from '@/core/engine/timeline/chain'
import type { ExecutionView, NodeView } from '@/core/engine/view/view'
import { fieldChanges, type FieldChange } from '@/core/pipeline/diff/diff'
import { isRecord } from '@/core/pipeline/json'

/** What two runs have in common, and what differs. `before` is the baseline, whenever it ran. Pure. */

/** Worst first, as the table is sorted. presence: one of the two revisions has no such node. */
export const DIFFERENCES = ['presence', 'status', 'attempts', 'outputs', 'duration'] as const
export type Difference = (typeof DIFFERENCES)[number]

export type NodeComparison = {
  readonly id: string
  /** null: the revision of that run has no such node. */
  readonly before: NodeView | null
  readonly after: NodeView | null
  readonly differences: readonly Difference[]
  readonly outputs: readonly FieldChange[]
  /** Milliseconds that it took longer; null where one of them has no duration. */
  readonly slowerMs: number | null
}

/** Smaller differences are noise: two runs never take exactly the same time. */
const NOTABLE_MS = 100
const NOTABLE_SHARE = 0.2

/** All nodes of both runs, in the order of the later revision, then those that only the other one has. */
export function compareNodes(before: ExecutionView, after: ExecutionView): NodeComparison[] {
  const ids = new Set([...Object.keys(after.nodes), ...Object.keys(before.nodes)])
  return [...ids].map((id) => compareNode(id, before.nodes[id] ?? null, after.nodes[id] ?? null))
}

function compareNode(id: string, before: NodeView | null, after: NodeView | null): NodeComparison {
  if (before === null || after === null)
    return { id, before, after, differences: ['presence'], outputs: [], slowerMs: null }
  const [was, is] = [before.duration_ms, after.duration_ms]
  const slowerMs = was === null || is === null ? null : is - was
  const outputs = valueChanges(before.outputs ?? {}, after.outputs ?? {})
  const differs: Record<Difference, boolean> = {
    presence: false,
    status: before.status !== after.status,
    attempts: before.attempts !== after.attempts,
    outputs: outputs.length > 0,
    duration:
      slowerMs !== null &&
      Math.abs(slowerMs) >= Math.max(NOTABLE_MS, NOTABLE_SHARE * Math.max(was ?? 0, is ?? 0)),
  }
  return { id, before, after, differences: DIFFERENCES.filter((each) => differs[each]), outputs, slowerMs }
}

/** What differs in named values. Large values, which are stored as files, are equal when their content is. */
export function valueChanges(before: object, after: object): FieldChange[] {
  return fieldChanges(byContent(before), byContent(after))
}

function byContent(values: object): object {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]: [string, unknown]) => {
      if (!isRecord(value) || typeof value['digest'] !== 'string' || !('artifact_id' in value))
        return [name, value]
      const { artifact_id: _whose, ...content } = value
      return [name, content]
    }),
  )
}

export const SORTS = ['difference', 'node', 'before', 'after', 'change'] as const
export type Sort = { readonly by: (typeof SORTS)[number]; readonly descending: boolean }

/** Sorts by difference, then by the change of the duration, largest first. Rows without a figure are last. */
export function sortNodes(rows: readonly NodeComparison[], { by, descending }: Sort): NodeComparison[] {
  const sign = descending ? -1 : 1
  const rank = ({ differences: [worst] }: NodeComparison) =>
    worst === undefined ? DIFFERENCES.length : DIFFERENCES.indexOf(worst)
  if (by === 'node') return rows.toSorted((a, b) => sign * (a.id < b.id ? -1 : 1))
  if (by === 'difference')
    return rows.toSorted(
      (a, b) => sign * (rank(b) - rank(a)) || Math.abs(b.slowerMs ?? 0) - Math.abs(a.slowerMs ?? 0),
    )
  const figure = (row: NodeComparison) => (by === 'change' ? row.slowerMs : (row[by]?.duration_ms ?? null))
  return rows.toSorted((a, b) => {
    const [x, y] = [figure(a), figure(b)]
    if (x === null || y === null) return Number(x === null) - Number(y === null)
    return sign * (x - y)
  })
}

/** Consecutive links of the critical path of one node (or of a gap), with milliseconds by kind. */
export type ChainStep = {
  readonly node: string | null
  readonly run: number
  readonly queue: number
  readonly wait: number
  readonly gap: number
}

export const lengthOf = ({ run, queue, wait, gap }: ChainStep): number => run + queue + wait + gap

export function chainSteps(chain: readonly Segment[]): ChainStep[] {
  const steps: ChainStep[] = []
  for (const { node, kind, from, to } of chain) {
    const last = steps.at(-1)
    const same = last?.node === node
    const step = same ? last : { node, run: 0, queue: 0, wait: 0, gap: 0 }
    const next = { ...step, [kind]: step[kind] + to - from }
    if (same) steps[steps.length - 1] = next
    else steps.push(next)
  }
  return steps
}

export type AlignedStep = {
  readonly node: string | null
  /** null: the path of that run does not lead through it here. */
  readonly before: ChainStep | null
  readonly after: ChainStep | null
}

/** Longer paths are listed one after the other: the cost of aligning grows with the square. */
const MOST_EDITS = 400

/** Aligns two critical paths: a node that both have, in the same order, is one row. */
export function alignChains(before: readonly ChainStep[], after: readonly ChainStep[]): AlignedStep[] {
  const alone = (steps: readonly ChainStep[], side: 'before' | 'after') =>
    steps.map((step): AlignedStep => ({ node: step.node, before: null, after: null, [side]: step }))
  const parts = diffArrays(
    before.map(({ node }) => node),
    after.map(({ node }) => node),
    { maxEditLength: MOST_EDITS },
  )
  if (parts === undefined) return [...alone(before, 'before'), ...alone(after, 'after')]
  let [x, y] = [0, 0]
  return parts.flatMap(({ added, removed, value: { length } }): AlignedStep[] => {
    const [old, now] = [before.slice(x, x + length), after.slice(y, y + length)]
    if (!added) x += length
    if (!removed) y += length
    if (added) return alone(now, 'after')
    if (removed) return alone(old, 'before')
    return now.map((step, at) => ({ node: step.node, before: old[at] ?? null, after: step }))
  })
}
