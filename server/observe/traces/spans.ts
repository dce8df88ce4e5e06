import type { Entry, Event, JsonObject } from '@/core/engine/event'
import { parseInstant } from '@/core/engine/instant'
import { attemptSpanId, spanIdOf, traceOf, type Traced } from '@/core/engine/trace'
import type { CompiledPipeline } from '@/core/pipeline/definition/compile'
import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import type { Slice } from './slices'

/** A span that has ended. Times are milliseconds since the epoch. */
export type SpanRecord = {
  readonly name: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly from: number
  readonly to: number
  /** Why it failed; null: it did not. */
  readonly error: string | null
  readonly attributes: Readonly<Record<string, string | number>>
}

/** Most spans of one slice: of a `forEach` over thousands the rest is left out, and the slice says how many. */
const MOST_SPANS = 2_000

type Run = Traced & { readonly pipeline: CompiledPipeline }

/**
 * The spans that end in a slice: the slice, which stands for the run, below it the nodes that ended, and below those their attempts. What began
 * before the slice has its real beginning.
 * @param entries the journal up to the end of the slice
 */
export function spansOf(run: Run, entries: readonly Entry[], slice: Slice): SpanRecord[] {
  const own = spanOfSlice(run, slice)
  const collector = createCollector(run, own)
  for (const { event } of entries) {
    if (event.seq > slice.last) break
    collector.take(event, event.seq >= slice.first)
  }
  const inSlice = entries.filter(({ event }) => event.seq >= slice.first && event.seq <= slice.last)
  const failed = inSlice.find(({ event }) => event.type === 'pipeline.failed')
  const begin = inSlice[0]
  const end = inSlice.at(-1)
  if (begin === undefined || end === undefined) return []
  const { spans, left } = collector
  const whole: SpanRecord = {
    name: `run ${run.pipeline.definition.id}`,
    spanId: own,
    parentSpanId: slice.first === 1 ? traceOf(run).parentSpanId : spanIdOf(run.executionId),
    from: parseInstant(begin.event.timestamp),
    to: parseInstant(end.event.timestamp),
    error: failed === undefined ? null : messageOf(failed.event.payload),
    attributes: {
      ...attributesOf(run),
      'penstock.slice.first_seq': slice.first,
      'penstock.slice.last_seq': slice.last,
      'penstock.slice.ends_with': end.event.type,
      ...(left() === 0 ? {} : { 'penstock.spans_left_out': left() }),
    },
  }
  return [whole, ...spans]
}

/** The first slice has the span of the run; later ones have their own, below it. */
const spanOfSlice = ({ executionId }: Run, { first }: Slice): string =>
  first === 1 ? spanIdOf(executionId) : spanIdOf(executionId, 'from', first)

const attributesOf = ({ executionId, pipeline }: Run) => ({
  'penstock.execution_id': executionId,
  'penstock.pipeline_id': pipeline.definition.id,
  'penstock.revision': pipeline.revision,
})

/** Which words end a node. */
const NODE_ENDS: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled', 'rolled_back'])

function createCollector(run: Run, ownSpan: string) {
  const { executionId, pipeline } = run
  const begun = new Map<string, number>()
  const spans: SpanRecord[] = []
  let left = 0

  function add(span: SpanRecord): void {
    if (spans.length < MOST_SPANS) spans.push(span)
    else left += 1
  }

  function nodeEvent(event: Event, node: string, word: string, counts: boolean): void {
    const spanId = spanIdOf(executionId, node, event.generation)
    const at = parseInstant(event.timestamp)
    if (word === 'queued' || word === 'started' || word === 'waiting') {
      if (!begun.has(spanId)) begun.set(spanId, at)
      return
    }
    if (!NODE_ENDS.has(word)) return
    const from = begun.get(spanId) ?? at
    begun.delete(spanId)
    if (!counts) return
    add({
      name: `node ${node}`,
      spanId,
      parentSpanId: ownSpan,
      from,
      to: at,
      error: word === 'failed' ? messageOf(event.payload) : null,
      attributes: {
        ...attributesOf(run),
        'penstock.node_id': node,
        'penstock.generation': event.generation,
        'penstock.outcome': word,
        'penstock.phase': pipeline.nodes.get(node)?.phase ?? '',
      },
    })
  }

  function taskEvent(event: Event, node: string, word: string, counts: boolean): void {
    const { generation, item = null, attempt = 1 } = event
    const spanId = attemptSpanId(executionId, { node, generation, item, attempt })
    const at = parseInstant(event.timestamp)
    if (word === 'started') {
      if (!begun.has(spanId)) begun.set(spanId, at)
      return
    }
    // A lost attempt goes on with another worker, unless there is none.
    if (word !== 'completed' && word !== 'failed' && !(word === 'lost' && event.payload.final === true))
      return
    const from = begun.get(spanId) ?? at
    begun.delete(spanId)
    if (!counts) return
    const task = pipeline.nodes.get(node)?.task ?? node
    add({
      name: `attempt ${task}`,
      spanId,
      parentSpanId: spanIdOf(executionId, node, generation),
      from,
      to: at,
      error: word === 'completed' ? null : messageOf(event.payload),
      attributes: {
        ...attributesOf(run),
        'penstock.node_id': node,
        'penstock.task': task,
        'penstock.attempt': attempt,
        'penstock.generation': generation,
        ...(item === null ? {} : { 'penstock.item': item }),
        'penstock.outcome': word,
      },
    })
  }

  return {
    spans,
    left: () => left,
    /** @param counts whether a span that ends with the event is one of the slice */
    take(event: Event, counts: boolean): void {
      const { level, node, word } = eventTypeOf(event.type)
      if (level === 'node') nodeEvent(event, node, word, counts)
      // What undoes a node is an attempt too.
      else if (level === 'task' || level === 'rollback') taskEvent(event, node, word, counts)
    },
  }
}

/** The kind of the error: messages may hold values of the run. */
function messageOf({ error, reason }: JsonObject): string {
  if (typeof error === 'object' && error !== null && 'kind' in error) return String(error.kind)
  return typeof reason === 'string' ? 'lost' : 'failed'
}
