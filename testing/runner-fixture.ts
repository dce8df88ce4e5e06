import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JsonObject } from '@/core/engine/event'
import { readEgressAllow } from '@/server/egress/allowance'
import { createEgress } from '@/server/egress/client'
import type { ArtifactStore } from '@/server/ports/artifacts'
import type { Clock } from '@/server/ports/clock'
import type { ArtifactRow } from '@/server/ports/registry'
import type { AttemptHandle, AttemptRequest, AttemptResult, Runner } from '@/server/ports/runner'
import type { RunnerLimits } from '@/server/runner/limits'
import { createRunner } from '@/server/runner/runner'
import { buildModule } from './build-module'

const root = fileURLToPath(new URL('../', import.meta.url))

/** Real data files of the package vega-datasets. */
export const dataset = (name: string) => join(root, 'node_modules/vega-datasets/data', name)

/** A child program with tasks of a test: `tasks` is the text of an object of task functions. */
function childWith(folder: string, tasks: string): Promise<URL> {
  return buildModule(
    folder,
    `import { serve } from '@/server/runner/child/serve'
     import { writeSync } from 'node:fs'
     serve(import.meta.url, new Map(Object.entries({ ${tasks} })))`,
  )
}

/** Time as the system has it. */
export const systemClock: Clock = {
  now: () => Date.now(),
  at(at, wake) {
    const timer = setTimeout(wake, Math.max(0, Math.min(at - Date.now(), 2 ** 31 - 1)))
    return () => clearTimeout(timer)
  },
  after(ms, wake) {
    const timer = setTimeout(wake, Math.min(ms, 2 ** 31 - 1))
    return () => clearTimeout(timer)
  },
  defer: (run) => void setImmediate(run),
}

/** Artifacts as files of a folder, rows in memory. */
export function createFolderArtifacts(folder: string): ArtifactStore {
  const rows: ArtifactRow[] = []
  let made = 0
  const pathOf = (row: ArtifactRow) => join(folder, row.digest)
  const keep = async (
    about: { executionId: string; nodeId: string; name: string; contentType: string },
    bytes: Uint8Array,
  ) => {
    const digest = createHash('sha256').update(bytes).digest('hex')
    const { executionId, nodeId, name, contentType } = about
    const artifactId = `art_${++made}`
    const row = {
      artifactId,
      executionId,
      nodeId,
      name,
      contentType,
      bytes: bytes.byteLength,
      digest,
      createdAt: 0,
    }
    await writeFile(pathOf(row), bytes)
    rows.push(row)
    return row
  }
  return {
    putFile: async (artifact) => keep(artifact, await readFile(artifact.path)),
    putBytes: (artifact) => keep(artifact, artifact.bytes),
    get: async (executionId, artifactId) =>
      rows.find((row) => row.executionId === executionId && row.artifactId === artifactId) ?? null,
    list: async (executionId) => rows.filter((row) => row.executionId === executionId),
    open: (row) => createReadStream(pathOf(row)),
    share: async (row, executionId) => void rows.push({ ...row, executionId }),
    discard: async () => {},
    digestOf: (bytes) => createHash('sha256').update(bytes).digest('hex'),
    contentOf: () => null,
    pathOf,
  }
}

type Finished = {
  readonly result: AttemptResult
  readonly log: readonly string[]
  readonly progress: readonly unknown[]
  /** How often `done` was called by then. */
  readonly done: () => number
}

/** Folders of one runner: its own, and the files that pipelines may read, with two of them. */
async function makeFolders() {
  await mkdir(join(root, 'node_modules/.cache'), { recursive: true })
  const folder = await realpath(await mkdtemp(join(root, 'node_modules/.cache/runner-')))
  const filesDir = join(await realpath(await mkdtemp(join(tmpdir(), 'penstock-files-'))), 'files')
  const workRoot = join(folder, 'work')
  await mkdir(join(folder, 'artifacts'))
  await mkdir(join(filesDir, 'samples'), { recursive: true })
  for (const name of ['seattle-weather.csv', 'flights-3m.parquet']) {
    await copyFile(dataset(name), join(filesDir, 'samples', name))
  }
  return { folder, filesDir, workRoot }
}

/** A runner with real children in a folder of its own, and what is needed to look at what it does. */
export async function createRunnerFixture(
  options: { tasks?: string; limits?: Partial<RunnerLimits>; egressAllow?: string } = {},
) {
  const { folder, filesDir, workRoot } = await makeFolders()
  const childEntry = await (options.tasks === undefined
    ? buildModule(folder)
    : childWith(folder, options.tasks))
  const artifacts = createFolderArtifacts(join(folder, 'artifacts'))
  const complaints: string[] = []
  const egress = createEgress({ allow: readEgressAllow(options.egressAllow ?? '') })
  const runner: Runner = createRunner({
    childEntry,
    filesDir,
    workRoot,
    artifacts,
    clock: systemClock,
    egress,
    disabledTasks: new Map(),
    limits: { warmChildren: 1, ...options.limits },
    log: (message) => complaints.push(message),
  })
  let token = 0

  const start = (task: string, input: JsonObject, more: Partial<AttemptRequest> = {}) => {
    token += 1
    const log: string[] = []
    const progress: unknown[] = []
    let calls = 0
    let handle: AttemptHandle | null = null
    let logged: (() => void) | null = null
    const finished = new Promise<Finished>((resolve) => {
      handle = runner.dispatch(
        {
          executionId: 'e1',
          pipelineId: 'p',
          nodeId: 'n',
          generation: 1,
          item: null,
          attempt: 1,
          token,
          idempotencyKey: `e1/n/1/${token}`,
          task,
          input,
          timeoutMs: null,
          ...more,
        },
        {
          begun: () => undefined,
          progress: (value) => progress.push(value),
          log: (stream, text) => {
            log.push(`${stream} ${text}`)
            logged?.()
          },
          done: (result) => {
            calls += 1
            resolve({ result, log, progress, done: () => calls })
          },
        },
      )
    })
    return {
      finished,
      abort: (reason: 'cancelled' | 'timeout' | 'shutdown') => handle?.abort(reason),
      /** Resolves when the attempt has logged its first line. */
      firstLine: new Promise<string>((resolve) => {
        logged = () => resolve(log[0] ?? '')
      }),
    }
  }

  return {
    folder,
    filesDir,
    workRoot,
    artifacts,
    runner,
    childEntry,
    complaints,
    start,
    run: async (task: string, input: JsonObject, more: Partial<AttemptRequest> = {}) =>
      (await start(task, input, more).finished).result,
    /** The text of an artifact that an attempt returned. */
    async textOf(output: unknown, encoding: BufferEncoding = 'utf8'): Promise<string> {
      const row = await artifacts.get('e1', (output as { artifact_id: string }).artifact_id)
      if (row === null) throw new Error('no such artifact')
      return readFile(artifacts.pathOf(row), encoding)
    },
    bytesOf: async (path: string) => (await stat(path)).size,
    async [Symbol.asyncDispose]() {
      await runner.stop()
      await egress.close()
      await rm(folder, { recursive: true, force: true })
      await rm(join(filesDir, '..'), { recursive: true, force: true })
    },
  }
}

export type RunnerFixture = Awaited<ReturnType<typeof createRunnerFixture>>

/** The outputs of an attempt that has to have succeeded. */
export function outputsOf(result: AttemptResult): JsonObject {
  if (result.ok !== true) throw new Error(`the attempt failed: ${JSON.stringify(result)}`)
  return result.outputs
}

/** The error of an attempt that has to have failed. */
export function errorOf(result: AttemptResult) {
  if (result.ok !== false)
    throw new Error(`the attempt did not fail: ${JSON.stringify(result).slice(0, 500)}`)
  return result.error
}
