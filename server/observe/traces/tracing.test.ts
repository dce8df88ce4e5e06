import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { attemptSpanId, spanIdOf, traceIdOf } from '@/core/engine/trace'
import { openApiServer } from '@/testing/api-server'
import { createSpanExport } from './exporter'
import { QUIET_MS } from './slices'
import { createTracing } from './tracing'

/** OTLP as its JSON mapping says, as far as we send it: a receiver that knows no other field refuses. */
const attribute = z.strictObject({
  key: z.string(),
  value: z.union([z.strictObject({ stringValue: z.string() }), z.strictObject({ intValue: z.number() })]),
})
const nanos = z.string().regex(/^\d{19}$/)
const otlpSpan = z.strictObject({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  name: z.string(),
  kind: z.literal(1),
  startTimeUnixNano: nanos,
  endTimeUnixNano: nanos,
  attributes: z.array(attribute),
  droppedAttributesCount: z.literal(0),
  events: z.array(z.never()),
  droppedEventsCount: z.literal(0),
  links: z.array(z.never()),
  droppedLinksCount: z.literal(0),
  flags: z.int().optional(),
  status: z.strictObject({ code: z.union([z.literal(0), z.literal(2)]), message: z.string().optional() }),
})
const otlp = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: z.array(attribute), droppedAttributesCount: z.literal(0) }),
      scopeSpans: z.array(
        z.strictObject({ scope: z.looseObject({ name: z.literal('penstock') }), spans: z.array(otlpSpan) }),
      ),
    }),
  ),
})
type OtlpSpan = z.output<typeof otlpSpan>

/** A receiver of OTLP over HTTP. */
async function openReceiver() {
  const spans: OtlpSpan[] = []
  const paths = new Set<string>()
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => (text += String(chunk)))
    request.on('end', () => {
      paths.add(`${request.method} ${request.url}`)
      const parsed = otlp.safeParse(JSON.parse(text))
      if (!parsed.success) return response.writeHead(400).end(z.prettifyError(parsed.error))
      for (const { scopeSpans } of parsed.data.resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return {
    url,
    spans,
    paths,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A server that traces to a receiver, with a clock for the quiet of runs that the test moves. */
async function openTraced(share: number, options: Parameters<typeof openApiServer>[0] = {}) {
  const receiver = await openReceiver()
  const server = await openApiServer({ ...options, traceShare: share })
  const problems: unknown[] = []
  const warn = (what: string, error?: unknown) => void problems.push([what, error])
  let now = Date.now()
  const wakes: { at: number; wake: () => void }[] = []
  const clock = {
    now: () => now,
    after(ms: number, wake: () => void) {
      const entry = { at: now + ms, wake }
      wakes.push(entry)
      return () => void wakes.splice(wakes.indexOf(entry), 1)
    },
  }
  const spans = createSpanExport(receiver.url, warn)
  const tracing = createTracing({ journal: server.ctx.journal, clock, spans, share, warn })
  server.ctx.feed.onCommit(tracing.committed)
  return {
    server,
    problems,
    /** The runs have been quiet for so long. */
    pass(ms: number) {
      now += ms
      for (const due of wakes.filter(({ at }) => at <= now)) {
        wakes.splice(wakes.indexOf(due), 1)
        due.wake()
      }
    },
    /** Everything that was sent. */
    async received(): Promise<readonly OtlpSpan[]> {
      await tracing.close()
      expect(problems).toEqual([])
      return receiver.spans
    },
    paths: receiver.paths,
    async start(definition: { id: string }): Promise<string> {
      const made = await server.call('POST', '/api/v1/pipelines', definition)
      expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201 })
      const { body } = await server.call('POST', `/api/v1/pipelines/${definition.id}/executions`, {})
      return (body as { execution_id: string }).execution_id
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
    },
  }
}

const pipeline = (id: string, nodes: object[]) => ({ schemaVersion: 1, id, name: id, nodes })
const attributesOf = (span: OtlpSpan | undefined) =>
  Object.fromEntries((span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]))
const named = (spans: readonly OtlpSpan[], name: string) => spans.filter((span) => span.name === name)

const two = [
  { id: 'first', task: 'noop', startWhen: 'event:pipeline.started' },
  { id: 'second', task: 'set', inputBindings: { x: 1 }, startWhen: 'event:first.completed' },
]

describe('traces', () => {
  it('[H-21] are execution, node and attempt, sent by OTLP', async () => {
    await using traced = await openTraced(1, {
      traceLink: 'https://traces.example/{trace_id}?span={span_id}',
    })
    const id = await traced.start(pipeline('works', two))
    await traced.server.closed(id)
    const spans = await traced.received()
    expect([...traced.paths]).toEqual(['POST /v1/traces'])
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([traceIdOf(id)]))
    expect(spans.map(({ name }) => name).sort()).toEqual(
      ['attempt noop', 'attempt set', 'node first', 'node second', 'run works'].sort(),
    )
    const [run] = named(spans, 'run works')
    const [node] = named(spans, 'node second')
    const [attempt] = named(spans, 'attempt set')
    const at = await traced.server.call('GET', `/api/v1/executions/${id}/nodes/second/trace`)
    expect(at.body).toEqual({
      trace_id: traceIdOf(id),
      span_id: node?.spanId,
      attempt_span_id: attempt?.spanId,
      url: `https://traces.example/${traceIdOf(id)}?span=${node?.spanId}`,
    })
    expect(run).toMatchObject({ spanId: spanIdOf(id), status: { code: 0 } })
    expect(run?.parentSpanId).toBeUndefined()
    expect(node?.parentSpanId).toBe(run?.spanId)
    expect(attempt?.parentSpanId).toBe(node?.spanId)
    expect(attributesOf(attempt)).toMatchObject({
      'penstock.execution_id': id,
      'penstock.node_id': 'second',
      'penstock.task': 'set',
      'penstock.attempt': 1,
    })
    for (const span of spans)
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano))
  })

  it('[H-21] a share of them is sent, and failures always: with their error, and no message of it', async () => {
    await using traced = await openTraced(0)
    await traced.server.closed(await traced.start(pipeline('works', two)))
    const failing = [
      ...two,
      { id: 'bad', task: 'fail', inputBindings: { message: 'hunter2' }, startWhen: 'event:second.completed' },
    ]
    const failed = await traced.start(pipeline('fails', failing))
    await traced.server.closed(failed)
    const spans = await traced.received()
    expect(named(spans, 'run works')).toEqual([])
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([traceIdOf(failed)]))
    for (const name of ['run fails', 'node bad', 'attempt fail'])
      expect(named(spans, name)[0]?.status, name).toMatchObject({ code: 2 })
    expect(JSON.stringify(spans)).not.toContain('hunter2')
  })

  it('[H-21] what happened before a wait is sent while the run waits', async () => {
    await using traced = await openTraced(1)
    const nodes = [
      two[0]!,
      { id: 'after', task: 'noop', startWhen: 'event:first.completed && event:external.shop.paid' },
    ]
    const id = await traced.start(pipeline('waits', nodes))
    const run = async () => (await traced.server.call('GET', `/api/v1/executions/${id}`)).body
    await expect.poll(run).toMatchObject({ status: 'waiting' })
    traced.pass(QUIET_MS - 1)
    traced.pass(1)
    const spans = await traced.received()
    expect(spans.map(({ name }) => name)).toEqual(['run waits', 'attempt noop', 'node first'])
    expect(await run()).toMatchObject({ status: 'waiting' })
  })

  it('[H-21] go on into what http.request calls, in the trace of who called the hook', async () => {
    const heard: (string | undefined)[] = []
    const called = createServer((request, response) => {
      heard.push(String(request.headers.traceparent))
      response.end('{}')
    }).listen(0, '127.0.0.1')
    await once(called, 'listening')
    const { port } = called.address() as AddressInfo
    await using traced = await openTraced(0, { egressAllow: `127.0.0.1:${port}` })
    const definition = {
      ...pipeline('hooked', [
        {
          id: 'ask',
          task: 'http.request',
          inputBindings: { method: 'GET', url: `http://127.0.0.1:${port}/` },
          startWhen: 'event:pipeline.started',
        },
      ]),
      triggers: [{ id: 'push', type: 'webhook', secret: 'secret:hook_secret' }],
    }
    const put = await traced.server.call('PUT', '/api/v1/secrets/hook_secret', {
      value: 'the-secret-of-the-hook',
    })
    expect(put.status, JSON.stringify(put.body)).toBeLessThan(300)
    const made = await traced.server.call('POST', '/api/v1/pipelines', definition)
    expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201 })
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const response = await fetch(`${traced.server.base}/hooks/hooked/push`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer the-secret-of-the-hook',
        traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
      },
    })
    expect(response.status).toBe(202)
    const { execution_id: id } = (await response.json()) as { execution_id: string }
    await traced.server.closed(id)
    const attempt = attemptSpanId(id, { node: 'ask', generation: 1, item: null, attempt: 1 })
    expect(heard).toEqual([`00-${traceId}-${attempt}-01`])
    const spans = await traced.received()
    expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]))
    expect(named(spans, 'run hooked')[0]?.parentSpanId).toBe('00f067aa0ba902b7')
    called.closeAllConnections()
    called.close()
  })

  it('[H-21] a run below another belongs to its trace', async () => {
    await using traced = await openTraced(1)
    const child = pipeline('below', two)
    expect(await traced.server.call('POST', '/api/v1/pipelines', child)).toMatchObject({ status: 201 })
    const id = await traced.start(
      pipeline('above', [{ id: 'sub', pipeline: 'below', startWhen: 'event:pipeline.started' }]),
    )
    await traced.server.closed(id)
    const spans = await traced.received()
    expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceIdOf(id)]))
    const [attempt] = spans.filter(
      ({ spanId }) => spanId === attemptSpanId(id, { node: 'sub', generation: 1, item: null, attempt: 1 }),
    )
    expect(named(spans, 'run below')[0]?.parentSpanId).toBe(attempt?.spanId)
    expect(attempt).toBeDefined()
  })
})
