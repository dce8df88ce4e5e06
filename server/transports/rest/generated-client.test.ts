import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import openapiTypes, { type OpenAPI3 } from 'openapi-typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiServer, type ApiServer } from '@/testing/api-server'

const project = fileURLToPath(new URL('../../../', import.meta.url))

/** What a user writes over the generated types: no cast but that of what JSON says to what the document says. */
const program = `
import type { paths } from './api'

type Start = paths['/api/v1/pipelines/{pipeline_id}/executions']['post']
type Event = paths['/api/v1/executions/{execution_id}/stream']['get']['responses'][200]['content']['text/event-stream']
type Execution = paths['/api/v1/executions/{execution_id}']['get']['responses'][200]['content']['application/json']
type Body = NonNullable<Start['requestBody']>['content']['application/json']

export async function startAndFollow(base: string, token: string, pipeline: string, body: Body) {
  const headers = { authorization: \`Bearer \${token}\`, 'content-type': 'application/json' }
  const call = async <T>(path: string, init: RequestInit = {}): Promise<T> =>
    (await (await fetch(base + path, { headers, ...init })).json()) as T
  const executions: keyof paths = '/api/v1/pipelines/{pipeline_id}/executions'
  const { execution_id } = await call<Start['responses'][202]['content']['application/json']>(
    executions.replace('{pipeline_id}', pipeline),
    { method: 'POST', body: JSON.stringify(body) },
  )
  if (execution_id === null) throw new Error('nothing was started')
  const path: keyof paths = '/api/v1/executions/{execution_id}'
  const own = path.replace('{execution_id}', execution_id)
  const text = await (await fetch(base + own + '/stream', { headers })).text()
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Event)
  const types: string[] = events.map((event) => event.type)
  const seqs: number[] = events.map(({ seq }) => seq)
  const view = await call<Execution>(own)
  const status: 'completed' | 'failed' | 'cancelled' | null =
    view.status === 'completed' || view.status === 'failed' || view.status === 'cancelled' ? view.status : null
  const outputs: { readonly [name: string]: unknown } | null = view.outputs
  return { types, seqs, status, outputs, revision: view.revision.toFixed(0) }
}
`

/** Each line must be a type error: the answers are typed, not anything. */
const mistakes = `
import type { components, paths } from './api'
declare const view: components['schemas']['Execution']
export const a: number = view.status
export const b = view.no_such_field
export const c: string = view.nodes['a']
export const d: keyof paths = '/api/v1/nowhere'
`

const strict = [
  '--noEmit',
  '--strict',
  '--noUncheckedIndexedAccess',
  '--module',
  'esnext',
  '--target',
  'es2022',
]

let api: ApiServer
let folder: string
beforeAll(async () => {
  api = await openApiServer()
  folder = mkdtempSync(join(tmpdir(), 'penstock-client-'))
  const document = (await api.call('GET', '/api/v1/openapi.json')).body as OpenAPI3
  writeFileSync(join(folder, 'api.d.ts'), await openapiTypes(document))
  writeFileSync(join(folder, 'program.ts'), program)
  writeFileSync(join(folder, 'mistakes.ts'), mistakes)
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await api[Symbol.asyncDispose]()
})

/** The type errors of a file. */
async function typeErrors(file: string): Promise<string[]> {
  const tsc = join(project, 'node_modules/typescript/bin/tsc')
  const args = [
    tsc,
    ...strict,
    '--moduleResolution',
    'bundler',
    '--lib',
    'es2022,dom',
    '--types',
    '',
    '--pretty',
    'false',
    file,
  ]
  const ran = promisify(execFile)(process.execPath, args, { cwd: folder })
  const { stdout, code } = await ran.then(
    ({ stdout }) => ({ stdout, code: 0 }),
    (error: { stdout: string; code: number }) => error,
  )
  const errors = stdout.split('\n').filter((line) => line.includes('error TS'))
  expect(errors.length > 0, stdout).toBe(code !== 0)
  return errors
}

describe('a client that is generated from the document', () => {
  it('starts an execution and follows it with typed answers', { timeout: 60_000 }, async () => {
    expect(await typeErrors('program.ts')).toEqual([])
    const definition = {
      id: 'typed',
      inputs: { v: { type: 'number' } },
      outputs: { y: { value: '{{ a.v }}' } },
      nodes: [
        {
          id: 'a',
          task: 'set',
          inputBindings: { v: '{{ pipeline.input.v }}' },
          startWhen: 'event:pipeline.started',
        },
      ],
    }
    expect((await api.call('POST', '/api/v1/pipelines', definition)).status).toBe(201)
    await build({
      entryPoints: [join(folder, 'program.ts')],
      outfile: join(folder, 'program.mjs'),
      format: 'esm',
      bundle: true,
      logLevel: 'silent',
    })
    const client = (await import(/* @vite-ignore */ join(folder, 'program.mjs'))) as {
      startAndFollow: (...args: unknown[]) => Promise<Record<string, unknown>>
    }
    const seen = await client.startAndFollow(api.base, 'root', 'typed', { inputs: { v: 3 } })
    expect(seen).toMatchObject({ status: 'completed', outputs: { y: 3 }, revision: '1' })
    expect(seen['seqs']).toEqual((seen['seqs'] as number[]).map((_, n) => n + 1))
    expect(seen['types']).toEqual(
      expect.arrayContaining(['pipeline.started', 'a.completed', 'pipeline.closed']),
    )
  })

  it('refuses mistakes at compile time', { timeout: 60_000 }, async () => {
    const lines = (await typeErrors('mistakes.ts')).map((line) => Number(/\((\d+),/.exec(line)?.[1]))
    expect(lines).toEqual([4, 5, 6, 7])
  })
})
