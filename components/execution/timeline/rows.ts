import type { Segment } from '@/core/engine/timeline/chain'
import type { Interval, NodeIntervals, Outcome } from '@/core/engine/timeline/intervals'
import type { Timeline } from '@/core/engine/timeline/timeline'
import type { Status } from '@/components/ui/status'
import { durationText } from '@/components/ui/times'

/** One row of the timeline: a node, or an item of a forEach that is unfolded. */
export type Row = {
  readonly key: string
  readonly node: string
  readonly item: number | null
  readonly name: string
  /** null: there is nothing to unfold. */
  readonly unfolded: boolean | null
  /** Items that the node has begun; 0 where it is no forEach. */
  readonly items: number
}

/** One stretch as it is drawn. `kind` gives its hatching, `status` its colour, `title` says in words what both do. */
export type Bar = {
  readonly kind: Interval['kind']
  readonly status: Status
  readonly title: string
  readonly error: string | null
  readonly attempt: number | null
  readonly from: number
  /** null while it goes on. */
  readonly to: number | null
}

/** Nodes, each followed by its items where it is unfolded. `ids`: which of them, in order; absent: all in the order of the graph. */
export function rowsOf(
  { pipeline, nodes }: Timeline,
  unfolded: ReadonlySet<string>,
  ids: readonly string[] = pipeline.levels.flat(),
): readonly Row[] {
  const rows: Row[] = []
  for (const id of ids) {
    const node = nodes.get(id)
    if (node === undefined) continue
    const items = itemsOf(node)
    const isOpen = unfolded.has(id)
    const name = pipeline.nodes.get(id)?.definition.name ?? id
    rows.push({ key: id, node: id, item: null, name, unfolded: items > 0 ? isOpen : null, items })
    if (!isOpen) continue
    for (const item of node.byItem.keys())
      if (item !== null)
        rows.push({ key: `${id}/${item}`, node: id, item, name: `Item ${item}`, unfolded: null, items: 0 })
  }
  return rows
}

const itemsOf = ({ byItem }: NodeIntervals): number => byItem.size - Number(byItem.has(null))

/** What a row draws: its intervals; of a list that is folded or not, what any of its items did. */
export function barsOf({ nodes }: Timeline, row: Row): readonly Bar[] {
  const node = nodes.get(row.node)
  if (node === undefined) return []
  if (row.items === 0) return (node.byItem.get(row.item) ?? []).map(barOf)
  const own = (node.byItem.get(null) ?? []).map(barOf)
  return [
    ...own,
    ...node.spans.flatMap(({ pieces, outcome }) =>
      pieces
        .filter((piece) => !own.some(({ from, to }) => from === piece.from && to === piece.to))
        .map(({ kind, from, to }): Bar => ({
          ...LIST_BARS[kind],
          // As the list ended, so are the stretches in which its items ran.
          ...(kind === 'run' && outcome !== null ? { status: ENDINGS[outcome].status } : {}),
          error: null,
          attempt: null,
          from,
          to,
        })),
    ),
  ].toSorted((a, b) => a.from - b.from)
}

const LIST_BARS = {
  run: { kind: 'running', status: 'running', title: 'Items run' },
  wait: { kind: 'waiting', status: 'waiting', title: 'Items wait, none runs' },
  queue: { kind: 'queued', status: 'queued', title: 'Items wait for a slot, none runs' },
} as const

const ENDINGS: Readonly<Record<Outcome, { readonly status: Status; readonly text: string }>> = {
  completed: { status: 'completed', text: 'completed' },
  by_hand: { status: 'completed', text: 'completed by hand' },
  failed: { status: 'failed', text: 'failed' },
  approved: { status: 'completed', text: 'approved' },
  rejected: { status: 'rejected', text: 'rejected' },
  timeout: { status: 'failed', text: 'nobody decided in time' },
  lost: { status: 'retrying', text: 'its worker was lost' },
  stopped: { status: 'cancelled', text: 'stopped by a pause' },
  skipped: { status: 'skipped', text: 'skipped' },
  cancelled: { status: 'cancelled', text: 'cancelled' },
  reset: { status: 'cancelled', text: 'superseded by a rerun' },
}

function barOf(interval: Interval): Bar {
  const { kind, waitsFor, outcome, error, attempt, from, to } = interval
  const ending = outcome === null ? null : ENDINGS[outcome]
  if (outcome === 'by_hand')
    return { kind, status: 'completed', title: 'Completed by hand', error, attempt, from, to }
  const what = whatOf(interval)
  const status = kind === 'running' || waitsFor === 'begin' ? (ending?.status ?? kind) : kind
  return { kind, status, title: ending === null ? what : `${what}, ${ending.text}`, error, attempt, from, to }
}

function whatOf({ kind, waitsFor, attempt, to }: Interval): string {
  switch (waitsFor) {
    case 'people':
      return 'Waits for a decision'
    case 'event':
      return 'Waits for an external event'
    case 'time':
      return `Attempt ${attempt} waits for its time`
    case 'child':
      return `Attempt ${attempt} waits for its run`
    case 'begin':
      return `Attempt ${attempt} waits to begin: for a child process, its files or the end of an earlier attempt`
  }
  if (kind === 'queued') return `Waits for a slot for attempt ${attempt}`
  if (kind === 'retrying') return `Waits for the time of attempt ${attempt}`
  return to === null ? `Attempt ${attempt} runs` : `Attempt ${attempt}`
}

/** The bar in one sentence: what it is, its instants, how long. `end` is the present, for one that goes on. */
export function barText(bar: Bar, end: number): string {
  const from = new Date(bar.from).toISOString()
  const until = bar.to === null ? 'and goes on' : `to ${new Date(bar.to).toISOString()}`
  const error = bar.error === null ? '' : `, ${bar.error}`
  return `${bar.title}${error}: ${from} ${until}, ${durationText((bar.to ?? end) - bar.from)}`
}

/** A link of the critical path in words, with the name of its node. */
export function segmentText({ node, kind }: Segment, nameOf: (id: string) => string): string {
  if (node === null) return 'nothing'
  const name = nameOf(node)
  return kind === 'run' ? name : `${name} ${kind === 'queue' ? 'in the queue' : 'waits'}`
}

export type ChainPart = { readonly node: string | null; readonly text: string; readonly ms: number }

/** The critical path for one line: at most `most` links in their order, the longest; `rest` sums what was left out. */
export function chainParts(
  chain: readonly Segment[],
  nameOf: (id: string) => string,
  most: number,
): { readonly parts: readonly ChainPart[]; readonly rest: { readonly count: number; readonly ms: number } } {
  const lengthOf = ({ from, to }: Segment) => to - from
  const longest = new Set(chain.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, most))
  const left = chain.filter((segment) => !longest.has(segment))
  return {
    parts: chain
      .filter((segment) => longest.has(segment))
      .map((segment) => ({
        node: segment.node,
        text: segmentText(segment, nameOf),
        ms: lengthOf(segment),
      })),
    rest: { count: left.length, ms: left.reduce((sum, segment) => sum + lengthOf(segment), 0) },
  }
}

/** The links of the critical path by their node, each list in its order. Time in which nothing ran belongs to no node. */
export function chainByNode(chain: readonly Segment[]): ReadonlyMap<string, readonly Segment[]> {
  const found = new Map<string, Segment[]>()
  for (const segment of chain) {
    if (segment.node === null) continue
    const own = found.get(segment.node)
    if (own === undefined) found.set(segment.node, [segment])
    else own.push(segment)
  }
  return found
}
