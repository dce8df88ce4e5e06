import { isActive, openSpan, type Span } from './intervals'
import { lastBefore, type Timeline } from './timeline'

/**
 * A link of what decided how long a run took. run, queue, wait: what that node did. gap: what nothing explains, such as a pause or
 * the time between an end and a rerun; of no node. Instants are milliseconds since the epoch, `from` before `to`.
 */
export type Segment = {
  readonly node: string | null
  readonly kind: 'run' | 'queue' | 'wait' | 'gap'
  readonly from: number
  readonly to: number
}

/**
 * The critical path of what happened [H-4]: from the start of the run to its outcome, or to `now`, the chain of what the end had to
 * wait for, found backwards: the node that ended last, what it did, then what let it begin. Of a run that goes on, `ahead` are the
 * nodes that are expected to decide its end (what goes on first): it goes back from there; without them, from what has been active
 * longest. Segments are in order and without holes, so they sum to the duration. Empty before the run starts.
 */
export function criticalChain(
  timeline: Timeline,
  now: number,
  ahead: readonly string[] = [],
): readonly Segment[] {
  const start = timeline.startedAt
  if (start === null) return []
  const end = Math.max(start, timeline.finishedAt ?? Math.max(now, timeline.at))
  const found = new Backwards(start, end)
  let span: Span | null = lastOf(timeline, ahead)
  while (span !== null && found.at > start) {
    found.span(span)
    if (span.cause !== null) found.gapTo(span.cause.at)
    span = span.cause?.span ?? null
  }
  found.gapTo(start)
  return found.segments.reverse()
}

/**
 * The nodes of that chain, in order, each once; also those that took no time. A node that lacked a place comes after the one that held
 * it before: `placeFrom` says which that was.
 */
export function chainNodes(
  timeline: Timeline,
  {
    ahead = [],
    placeFrom = () => undefined,
  }: {
    readonly ahead?: readonly string[]
    readonly placeFrom?: (node: string) => string | undefined
  } = {},
): readonly string[] {
  const start = timeline.startedAt
  if (start === null) return []
  const found = new Set<string>()
  let span = lastOf(timeline, ahead)
  while (span !== null && (span.end === null || span.end >= start)) {
    const holder = found.has(span.node) ? undefined : placeFrom(span.node)
    found.add(span.node)
    span = (holder === undefined ? null : endedBefore(timeline, holder, span)) ?? span.cause?.span ?? null
  }
  return [...found].reverse()
}

/** What a node did last before another span ended, if it had ended by then. */
function endedBefore({ nodes }: Timeline, id: string, { end: limit }: Span): Span | null {
  const before = nodes.get(id)?.spans.findLast(({ end }) => end !== null && (limit === null || end <= limit))
  return before ?? null
}

/** What the run, as it is, ended with or is at. */
function lastOf(timeline: Timeline, ahead: readonly string[]): Span | null {
  const { nodes, open, lastEnded, finishedAt } = timeline
  if (finishedAt !== null) return lastEnded
  const goingOn = ahead.flatMap((id) => {
    const node = nodes.get(id)
    return (node && openSpan(node)) ?? []
  })
  // Those that wait for a place wait for what is at work before them.
  const last = goingOn.findLast(({ pieces }) => pieces.at(-1)?.kind !== 'queue') ?? goingOn.at(-1)
  if (last !== undefined) return last
  if (ahead[0] !== undefined) return lastBefore(timeline, ahead[0])
  let first: Span | null = null
  for (const span of open) {
    first ??= span
    if (isActive(nodes.get(span.node)!)) return span
  }
  return first ?? lastEnded
}

/** Segments from the end to the start; each begins where the one before it is to end. */
class Backwards {
  readonly segments: Segment[] = []

  constructor(
    readonly start: number,
    public at: number,
  ) {}

  gapTo(instant: number): void {
    this.add({ node: null, kind: 'gap' }, instant)
  }

  span({ node, from, end, pieces }: Span): void {
    if (end !== null) this.gapTo(end)
    for (let index = pieces.length - 1; index >= 0 && this.at > this.start; index -= 1) {
      const piece = pieces[index]!
      if (piece.to !== null) this.gapTo(piece.to)
      this.add({ node, kind: piece.kind }, piece.from)
    }
    this.gapTo(from)
  }

  add(what: Pick<Segment, 'node' | 'kind'>, instant: number): void {
    const from = Math.max(this.start, instant)
    if (from >= this.at) return
    const after = this.segments.at(-1)
    const same = after?.node === what.node && after.kind === what.kind
    if (same) this.segments.pop()
    this.segments.push({ ...what, from, to: same ? after.to : this.at })
    this.at = from
  }
}
