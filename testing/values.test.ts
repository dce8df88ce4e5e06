import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '@/core/engine/event'
import { evaluate, parseExpression } from '@/core/pipeline/expression/expression'
import { readTypedJson } from '@/core/pipeline/json-text'
import { openApiServer, type ApiServer } from './api-server'
import { createRunnerFixture, type RunnerFixture } from './runner-fixture'

/** docs/reference/values.md, cell by cell: what stands there, and what becomes of a value. */

let api: ApiServer
let at: RunnerFixture
let answer: { type: string; body: Buffer } = { type: '', body: Buffer.alloc(0) }
const server = createServer((_request, response) =>
  response.setHeader('content-type', answer.type).end(answer.body),
)
let doors: ReadonlyMap<string, readonly string[]>

beforeAll(async () => {
  api = await openApiServer()
  at = await createRunnerFixture({ egressAllow: '127.0.0.1' })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const page = await readFile(resolve(import.meta.dirname, '../docs/reference/values.md'), 'utf8')
  const lines = page.split('\n').filter((line) => line.startsWith('| '))
  doors = new Map(
    lines.slice(2).map((line) => {
      const [door = '', ...cells] = line.slice(2, -2).split(/\s+\|\s+/)
      return [door.trim(), cells.map((cell) => cell.trim())]
    }),
  )
})
afterAll(async () => {
  server.close()
  await Promise.all([api[Symbol.asyncDispose](), at[Symbol.asyncDispose]()])
})

type Outcome = unknown
let count = 0
const REFUSED = 'refused'
/** In the order of the table; null: the door has no such thing. */
type Checks = readonly (null | readonly [cell: string, check: () => Promise<Outcome>, expected: Outcome])[]

/** What a task gives, or that it fails. */
async function attempt(task: string, input: JsonObject): Promise<Outcome> {
  const result = await at.run(task, input)
  return result.ok === true ? result.outputs : REFUSED
}

const latin = (text: string) => Buffer.from(text, 'latin1')
const MARK = '\ufeff'
const LONG = '9007199254740993'

/** A value through a door that takes JSON text: what comes out of `x`, or that it is refused. */
type Give = (json: string | Buffer) => Promise<Outcome>

/** Rows of doors that read JSON. `{ "x": … }` is what they are given. */
const json = (give: Give, cells: Record<string, string> = {}): Checks => [
  [cells['integers'] ?? 'refused', () => give(`{"x":${LONG}}`), REFUSED],
  ['double', () => give('{"x":1.10}'), 1.1],
  [cells['infinities'] ?? 'refused', () => give('{"x":1e400}'), REFUSED],
  ['text', () => give('{"x":"2026-01-02"}'), '2026-01-02'],
  null,
  ['refused', () => give('{"x":1,"x":2}'), REFUSED],
  [cells['encodings'] ?? 'UTF-8, else refused', () => give(latin('{"x":"ä"}')), REFUSED],
  ['kept', () => give(String.raw`{"x":"a\r\nb"}`), 'a\r\nb'],
  ['taken off', () => give(`${MARK}{"x":"a"}`), 'a'],
]

async function send(path: string, type: string, body: Buffer): Promise<JsonObject> {
  const response = await fetch(`${api.base}${path}`, {
    method: 'POST',
    headers: { authorization: 'Bearer root', 'content-type': type },
    body: new Uint8Array(body),
  })
  return { status: response.status, ...((await response.json()) as JsonObject) }
}

async function request(body: string | Buffer): Promise<Outcome> {
  const definition = {
    id: 'echo',
    inputs: { x: { type: 'object' } },
    nodes: [{ id: 'a', task: 'noop', startWhen: 'event:pipeline.started' }],
  }
  await api.call('POST', '/api/v1/pipelines', definition)
  const inputs = Buffer.concat([Buffer.from('{"inputs":{"x":'), Buffer.from(body), Buffer.from('}}')])
  const marked = Buffer.from(body).subarray(0, 3).equals(Buffer.from(MARK))
  const whole = marked ? Buffer.from(`${MARK}{"inputs":{"x":${String(body).slice(1)}}}`) : inputs
  const started = await send('/api/v1/pipelines/echo/executions', 'application/json', whole)
  if (started['status'] === 400) return REFUSED
  const run = await api.closed(String(started['execution_id']))
  return ((run['inputs'] as JsonObject)['x'] as JsonObject)['x']
}

/** A definition whose node has the text as its bindings. */
const definition =
  (type: string, around: (bindings: string) => string): Give =>
  async (body) => {
    const isBytes = typeof body !== 'string'
    const marked = !isBytes && body.startsWith(MARK)
    const text = around(isBytes ? body.toString('latin1') : body.replace(MARK, ''))
    const bytes = isBytes ? latin(text) : Buffer.from(marked ? MARK + text : text)
    const made = await send('/api/v1/pipelines/validate', type, bytes)
    if (made['status'] !== 200 || made['valid'] === false) return REFUSED
    const id = `values_${(count += 1)}`
    const created = await send(
      '/api/v1/pipelines',
      type,
      Buffer.from(bytes.toString().replace('values_id', id)),
    )
    expect(created['status']).toBe(201)
    const { body: got } = await api.call('GET', `/api/v1/pipelines/${id}`)
    const { nodes } = (got as { definition: { nodes: { inputBindings: JsonObject }[] } }).definition
    return nodes[0]?.inputBindings['x']
  }
const inJson = definition(
  'application/json',
  (bindings) =>
    `{"id":"values_id","nodes":[{"id":"a","task":"set","startWhen":"event:pipeline.started","inputBindings":${bindings}}]}`,
)
const inYaml = definition(
  'application/yaml',
  (bindings) =>
    `id: values_id\nnodes:\n  - id: a\n    task: set\n    startWhen: event:pipeline.started\n    inputBindings: ${bindings}\n`,
)

async function expression(source: string): Promise<Outcome> {
  const parsed = parseExpression(source)
  if (!parsed.ok) return REFUSED
  const result = evaluate(parsed.value, { lookup: () => undefined, names: () => [] })
  return result.ok ? result.value : REFUSED
}

async function fetched(type: string, body: string | Buffer, more: JsonObject = {}): Promise<Outcome> {
  answer = { type, body: Buffer.from(body) }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const outputs = await attempt('http.request', { method: 'GET', url, ...more })
  return outputs === REFUSED ? outputs : (outputs as JsonObject)['body']
}
const fetchedJson: Give = async (body) => {
  const got = await fetched('application/json', body)
  return got === REFUSED ? got : (got as JsonObject)['x']
}
const fetchedText = (body: string | Buffer, charset = 'utf-8') =>
  fetched(`text/plain; charset=${charset}`, body)

async function returned(code: string): Promise<Outcome> {
  const outputs = await attempt('script.javascript', { code: `return ${code}` })
  return outputs === REFUSED ? outputs : (outputs as JsonObject)['result']
}

async function rows(sql: string, more: JsonObject = {}): Promise<Outcome> {
  const outputs = await attempt('duckdb.query', { sql, ...more })
  return outputs === REFUSED ? outputs : (outputs as JsonObject)['rows']
}
async function file(ending: string, content: string | Buffer): Promise<Outcome> {
  const name = `f${(count += 1)}.${ending}`
  await writeFile(join(at.filesDir, name), content)
  return rows('from f', { files: { f: name } })
}
const csv = (content: string | Buffer) => file('csv', content)
const jsonFile: Give = async (body) => {
  const got = await file('json', body)
  return got === REFUSED ? got : (got as JsonObject[])[0]?.['x']
}
const cell = async (sql: string, params?: JsonObject) => {
  const got = await rows(`select ${sql} as x`, params === undefined ? {} : { params })
  return got === REFUSED ? got : (got as JsonObject[])[0]?.['x']
}

async function printed(script: string, env: JsonObject = {}): Promise<Outcome> {
  const outputs = await attempt('shell', { script, env })
  return outputs === REFUSED ? outputs : (outputs as JsonObject)['stdout']
}
const echoed = (value: JsonObject[string]) => printed('printf %s "$X"', { X: value })

/** Whether `out/` holds what a program writes, byte by byte. */
async function written(bytes: Buffer): Promise<Outcome> {
  const octal = [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
  const outputs = (await attempt('shell', { script: `printf '${octal}' > out/f` })) as JsonObject
  const [made] = outputs['artifacts'] as JsonObject[]
  return Buffer.from(await at.textOf(made, 'latin1'), 'latin1').equals(bytes)
}

async function answered(value: JsonObject[string]): Promise<Outcome> {
  const nodes = [{ id: 'a', task: 'set', startWhen: 'event:pipeline.started', inputBindings: { x: value } }]
  const id = `answers_${(count += 1)}`
  await api.call('POST', '/api/v1/pipelines', { id, nodes })
  const started = await api.call('POST', `/api/v1/pipelines/${id}/executions`, {})
  const { execution_id: run } = started.body as { execution_id: string }
  await api.closed(run)
  const response = await fetch(`${api.base}/api/v1/executions/${run}/variables`, {
    headers: { authorization: 'Bearer root' },
  })
  return /"value":(.*?)[,}]/.exec(await response.text())?.[1]
}

const ALL_BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))

const table: Readonly<Record<string, Checks>> = {
  'requests: REST, tRPC, hooks': json(request),
  'definitions in JSON': json(inJson),
  'definitions in YAML': [
    ['refused', () => inYaml(`{ x: ${LONG} }`), REFUSED],
    ['double', () => inYaml('{ x: 1.10 }'), 1.1],
    ['refused', async () => [await inYaml('{ x: .nan }'), await inYaml('{ x: 1e400 }')], [REFUSED, REFUSED]],
    ['text', () => inYaml('{ x: 2026-01-02 }'), '2026-01-02'],
    ['refused', () => inYaml('{ x: !!binary aGk= }'), REFUSED],
    ['refused', () => inYaml('{ x: 1, x: 2 }'), REFUSED],
    ['UTF-8, else refused', () => inYaml(latin('{ x: ä }')), REFUSED],
    ['`\\n`', () => inYaml('\r\n      x: |-\r\n        a\r\n        b\r\n'), 'a\nb'],
    ['taken off', () => inYaml(`${MARK}{ x: a }`), 'a'],
  ],
  'forms of the pages': json(async (text) => {
    const read = readTypedJson(String(text))
    return read.ok ? (read.value as JsonObject)['x'] : REFUSED
  }).map((check, column) => (column === 6 || column === 8 ? null : check)),
  expressions: [
    ['refused', () => expression(LONG), REFUSED],
    ['double', () => expression('1.10'), 1.1],
    [
      'refused',
      async () => [await expression('1e400'), await expression('1e308 * 10.0')],
      [REFUSED, REFUSED],
    ],
    ['text', () => expression('timestamp("2026-01-02T00:00:00Z")'), '2026-01-02T00:00:00.000Z'],
    ['refused', () => expression('b"a"'), REFUSED],
    ['refused', () => expression('{"a": 1, "a": 2}'), REFUSED],
    null,
    ['kept', () => expression(String.raw`"a\r\nb"`), 'a\r\nb'],
    null,
  ],
  '`http.request`, JSON answers': json(fetchedJson, {
    integers: 'refused, or text',
    infinities: 'refused, or text',
    encodings: 'UTF-8, or as named',
  }),
  '`http.request`, other answers': [
    ['kept', () => fetchedText(LONG), LONG],
    ['kept', () => fetchedText('1.10'), '1.10'],
    ['kept', () => fetchedText('NaN 1e400'), 'NaN 1e400'],
    ['kept', () => fetchedText('01/02/2026'), '01/02/2026'],
    ['file', async () => typeof (await fetched('image/png', ALL_BYTES)), 'object'],
    null,
    [
      'as named, or file',
      async () => [await fetchedText(latin('\x80'), 'windows-1252'), typeof (await fetchedText(latin('ä')))],
      ['€', 'object'],
    ],
    ['kept', () => fetchedText('a\r\nb\rc\n'), 'a\r\nb\rc\n'],
    ['taken off', () => fetchedText(`${MARK}a`), 'a'],
  ],
  '`script.javascript`, results': [
    ['refused', () => returned('2 ** 53'), REFUSED],
    ['double', () => returned('1.10'), 1.1],
    ['refused', async () => [await returned('[NaN]'), await returned('[1e400]')], [REFUSED, REFUSED]],
    ['text', () => returned('new Date(0)'), '1970-01-01T00:00:00.000Z'],
    ['refused', () => returned('new Uint8Array(2)'), REFUSED],
    null,
    null,
    ['kept', () => returned(String.raw`"a\r\nb"`), 'a\r\nb'],
    ['kept', () => returned(String.raw`"\ufeffa"`), `${MARK}a`],
  ],
  '`duckdb.query`, CSV files': [
    [
      'text, or refused',
      async () => [await csv(`x,y\n${LONG},1\n`), await csv(`x,y\n${LONG},1\n1.5,2\n`)],
      [[{ x: LONG, y: 1 }], REFUSED],
    ],
    ['double', () => csv('x,y\n1.10,1\n'), [{ x: 1.1, y: 1 }]],
    [
      'text, or refused',
      async () => [await csv('x,y\nnan,1\n1.5,1\n'), await csv('x,y\n1e400,1\n1.5,2\n')],
      [
        [
          { x: 'NaN', y: 1 },
          { x: 1.5, y: 1 },
        ],
        REFUSED,
      ],
    ],
    [
      'text',
      () => csv('x,y\n2026-01-02,2026-01-02T03:04:05+02:00\n'),
      [{ x: '2026-01-02', y: '2026-01-02T01:04:05Z' }],
    ],
    ['refused', () => csv(Buffer.concat([Buffer.from('x,y\n'), ALL_BYTES])), REFUSED],
    ['renamed', () => csv('x,x\n1,2\n'), [{ x: 1, x_1: 2 }]],
    ['UTF-8, else refused', () => csv(latin('x,y\nä,1\n')), REFUSED],
    [
      'alike, else refused',
      async () => [await csv('x,y\r\n1,2\r\n'), await csv('x,y\n1,2\r\n3,4\n')],
      [[{ x: 1, y: 2 }], REFUSED],
    ],
    ['taken off', () => csv(`${MARK}x,y\n1,2\n`), [{ x: 1, y: 2 }]],
  ],
  '`duckdb.query`, JSON files': json(jsonFile).map((check, column) =>
    column === 0
      ? [
          'text, or refused',
          async () => [await jsonFile(`[{"x":${LONG}}]`), await jsonFile(`[{"x":1.5},{"x":${LONG}}]`)],
          [LONG, REFUSED],
        ]
      : check,
  ),
  '`duckdb.query`, results and Parquet': [
    ['text', () => cell(`${LONG}::hugeint`), LONG],
    [
      'number, or text',
      async () => [await cell('1.10::decimal(38,10)'), await cell('0.12345678901234567890::decimal(38,20)')],
      [1.1, '0.12345678901234567890'],
    ],
    ['text', () => cell(`['nan'::double, '-inf'::double]`), ['NaN', '-Infinity']],
    ['text', () => cell(`timestamptz '2026-01-02 03:04:05+00'`), '2026-01-02T03:04:05Z'],
    ['text', () => cell(`'\\x00a'::blob`), '\\x00a'],
    ['renamed', () => rows('select 1 as a, 2 as a'), [{ a: 1, 'a:1': 2 }]],
    null,
    ['kept', () => cell(`'a' || chr(13) || chr(10) || 'b'`), 'a\r\nb'],
    null,
  ],
  '`duckdb.query`, parameters': [
    ['exact', () => cell('$p::hugeint::varchar', { p: 1e20 }), '100000000000000000000'],
    ['double', () => cell('$p = 1.1::double', { p: 1.1 }), true],
    null,
    ['text', () => cell(`$p = '2026-01-02'`, { p: '2026-01-02' }), true],
    null,
    null,
    null,
    ['kept', () => cell('length($p)', { p: 'a\r\nb' }), 4],
    null,
  ],
  '`shell`, words and variables': [
    ['as JSON', () => echoed(1e20), '100000000000000000000'],
    ['as JSON', () => echoed(1.1), '1.1'],
    null,
    ['text', () => echoed('2026-01-02'), '2026-01-02'],
    null,
    null,
    ['UTF-8', () => echoed('ä€'), 'ä€'],
    ['kept', () => echoed('a\r\nb'), 'a\r\nb'],
    ['kept', () => echoed(`${MARK}a`), `${MARK}a`],
  ],
  '`shell`, what it prints': [
    ['kept', () => printed(`echo ${LONG}`), `${LONG}\n`],
    ['kept', () => printed('echo 1.10'), '1.10\n'],
    ['kept', () => printed('echo NaN'), 'NaN\n'],
    ['kept', () => printed('echo 01/02/2026'), '01/02/2026\n'],
    ['`U+FFFD`', () => printed(String.raw`printf '\377'`), '\ufffd'],
    null,
    ['UTF-8', () => printed('echo ä€'), 'ä€\n'],
    ['kept', () => printed(String.raw`printf 'a\r\nb'`), 'a\r\nb'],
    ['kept', () => printed(String.raw`printf '\357\273\277a'`), `${MARK}a`],
  ],
  'files: `file.write`, `out/`': [
    LONG,
    '1.10',
    'NaN 1e400',
    '01/02/2026',
    ALL_BYTES,
    '{"a":1,"a":2}',
    latin('ä'),
    'a\r\nb\rc\n',
    `${MARK}a`,
  ].map((bytes) => ['kept', () => written(Buffer.from(bytes)), true] as const),
  'answers, streams, webhooks': [
    ['as JSON', () => answered(1e20), '100000000000000000000'],
    ['as JSON', () => answered(1.1), '1.1'],
    null,
    ['text', () => answered('2026-01-02'), '"2026-01-02"'],
    null,
    null,
    ['UTF-8', () => answered('ä€'), '"ä€"'],
    ['kept', () => answered('a\r\nb'), String.raw`"a\r\nb"`],
    null,
  ],
}

describe('docs/reference/values.md', () => {
  it('has a row for every door', () => {
    expect([...doors.keys()]).toEqual(Object.keys(table))
  })

  it.each(Object.entries(table))('[R-86] %s', { timeout: 60_000 }, async (door, checks) => {
    expect(doors.get(door)).toEqual(checks.map((check) => check?.[0] ?? '—'))
    for (const check of checks) {
      if (check !== null) expect(await check[1](), `${door}: ${check[0]}`).toEqual(check[2])
    }
  })

  it('[R-86] takes large numbers of an answer as text, and an answer in the charset that it names', async () => {
    const body = `{"x":${LONG},"y":1e400}`
    expect(await fetched('application/json', body, { large_numbers: 'text' })).toEqual({
      x: LONG,
      y: '1e400',
    })
    expect(await fetched('application/json; charset=latin1', latin('{"x":"ä"}'))).toEqual({ x: 'ä' })
    expect(await fetched('text/html', latin('<meta charset=latin1>ä'))).toBe('<meta charset=latin1>ä')
  })
})
