import {
  diag,
  DiagLogLevel,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type HrTime,
  type SpanContext,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace-base'
import type { SpanRecord } from './spans'

export type SpanExport = {
  /** Sends spans of a trace, soon; those that a slow receiver leaves no room for are dropped. */
  send(traceId: string, spans: readonly SpanRecord[]): void
  /** Sends what waits, and ends. */
  close(): Promise<void>
}

/** Spans that wait for the receiver, at most; a batch, at most. */
const LIMITS = { maxQueueSize: 20_000, maxExportBatchSize: 500, scheduledDelayMillis: 1_000 } as const

/**
 * Sends spans by OTLP over HTTP, as JSON. OTEL_EXPORTER_OTLP_HEADERS gives the receiver more headers.
 * @param endpoint of a receiver: the address to which `/v1/traces` belongs
 * @param warn hears when the receiver cannot be reached, or is too slow
 */
export function createSpanExport(endpoint: URL, warn: (what: string) => void): SpanExport {
  const say = (message: string) => warn(`sending spans: ${message}`)
  const ignore = () => undefined
  diag.setLogger(
    { error: say, warn: say, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  const url = new URL(`${endpoint.pathname.replace(/\/$/, '')}/v1/traces`, endpoint)
  const exporter = new OTLPTraceExporter({ url: url.href, timeoutMillis: 5_000 })
  const processor = new BatchSpanProcessor(exporter, LIMITS)
  const resource = resourceFromAttributes({ 'service.name': 'penstock' })

  const readable = (traceId: string, span: SpanRecord): ReadableSpan => {
    const contextOf = (spanId: string): SpanContext => ({ traceId, spanId, traceFlags: TraceFlags.SAMPLED })
    const { parentSpanId, error } = span
    return {
      name: span.name,
      kind: SpanKind.INTERNAL,
      spanContext: () => contextOf(span.spanId),
      ...(parentSpanId === null ? {} : { parentSpanContext: contextOf(parentSpanId) }),
      startTime: timeOf(span.from),
      endTime: timeOf(span.to),
      duration: timeOf(span.to - span.from),
      status:
        error === null ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: error },
      attributes: span.attributes,
      links: [],
      events: [],
      ended: true,
      resource,
      instrumentationScope: { name: 'penstock' },
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    }
  }

  return {
    send(traceId, spans) {
      for (const span of spans) processor.onEnd(readable(traceId, span))
    },
    close: () => processor.shutdown(),
  }
}

const timeOf = (ms: number): HrTime => [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000]
