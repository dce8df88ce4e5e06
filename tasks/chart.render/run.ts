import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TopLevelSpec } from 'vega-lite'
import { LIMITS, type Json, type JsonObject } from '@/core/engine/event'
import type { TaskRun } from '@/server/ports/runner'
import { sayBytes } from '@/tasks/support/outputs'
import { TaskFailure } from '@/tasks/support/task-failure'

const DEPTH = 100

/**
 * Renders a Vega-Lite `spec` as SVG. `data` is a list of rows, or a CSV or JSON file of them: the data set named `table`, and the spec's data when it names none.
 * Nothing is ever loaded: a spec that asks for a URL is `egress_refused`. Expressions are interpreted, never compiled.
 * Outputs: `artifact` (chart.svg) and `svg`, which is null when it is larger than one output may be (the log says so).
 */
export const run: TaskRun = async (input, context) => {
  const spec = input['spec']
  if (!isObject(spec)) throw new TaskFailure('invalid_input', 'spec must be a Vega-Lite specification')
  refuseUrls(spec, 'spec', 0)
  const [vega, vegaLite, { expressionInterpreter }] = await Promise.all([
    import('vega'),
    import('vega-lite'),
    import('vega-interpreter'),
  ])
  const warnings = {
    level: () => warnings,
    error: (...parts: readonly unknown[]) => print('error', parts),
    warn: (...parts: readonly unknown[]) => print('warning', parts),
    info: () => warnings,
    debug: () => warnings,
  }
  const print = (level: string, parts: readonly unknown[]) => {
    context.log('stderr', `${level}: ${parts.map(String).join(' ')}`)
    return warnings
  }
  const data = await readRows(input['data'], context.workDir, vega.read)
  let refused: string | null = null
  const refuse = async (uri: unknown): Promise<never> => {
    refused ??= String(uri)
    throw new TaskFailure('egress_refused', `a chart loads nothing: ${String(uri)}`)
  }
  // Answers, because the renderer does not expect a refusal of a link and would end the process.
  const sanitize = async (uri: unknown) => {
    refused ??= String(uri)
    return { href: '' }
  }
  const loader = { ...vega.loader(), load: refuse, sanitize, http: refuse, file: refuse }
  const compiled = invalidWhenThrown('spec', () =>
    vegaLite.compile(withData(spec, data), { logger: warnings as never }),
  )
  const runtime = invalidWhenThrown('spec', () => vega.parse(compiled.spec, undefined, { ast: true }))
  const view = new vega.View(runtime, {
    expr: expressionInterpreter,
    loader,
    logger: warnings as never,
    renderer: 'none',
  })
  const svg = await view.toSVG().catch((thrown: unknown) => {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    throw new TaskFailure('task_failed', `the chart could not be drawn: ${why}`)
  })
  view.finalize()
  if (refused !== null) throw new TaskFailure('egress_refused', `a chart loads nothing: ${String(refused)}`)
  const file = join(context.workDir, 'chart.svg')
  await writeFile(file, svg, { flag: 'wx' })
  const bytes = Buffer.byteLength(JSON.stringify(svg))
  const fits = bytes <= LIMITS.inlineVariableBytes
  if (!fits) context.log('log', `svg is null: it has ${sayBytes(bytes)}; the artifact holds it`)
  return {
    svg: fits ? svg : null,
    artifact: { $file: file, name: 'chart.svg', contentType: 'image/svg+xml' },
  }
}

/** Rows as given, or those of a file that the runner has copied into the attempt's folder. */
async function readRows(
  data: Json | undefined,
  workDir: string,
  read: (text: string, schema: { type: 'csv' | 'tsv' | 'json'; parse: 'auto' }) => unknown,
): Promise<Json> {
  if (data === undefined || data === null || Array.isArray(data)) return data ?? null
  const type = typeof data === 'string' ? /\.(csv|tsv|json)$/.exec(data)?.[1] : undefined
  if (typeof data !== 'string' || type === undefined) {
    throw new TaskFailure('invalid_input', 'data must be a list of rows, or a file of type csv, tsv or json')
  }
  const text = await readFile(join(workDir, data), 'utf8')
  const rows = invalidWhenThrown('data', () =>
    read(text, { type: type as 'csv' | 'tsv' | 'json', parse: 'auto' }),
  )
  if (!Array.isArray(rows))
    throw new TaskFailure('invalid_input', `data: ${data} does not hold a list of rows`)
  return rows as Json
}

function withData(spec: JsonObject, rows: Json): TopLevelSpec {
  if (rows === null) return spec as unknown as TopLevelSpec
  const datasets = isObject(spec['datasets']) ? spec['datasets'] : {}
  const data = spec['data'] ?? { name: 'table' }
  return { ...spec, data, datasets: { ...datasets, table: rows } } as unknown as TopLevelSpec
}

/** The loader refuses too; this one names the path in the specification before anything is computed. */
function refuseUrls(value: Json, path: string, depth: number): void {
  if (depth > DEPTH) throw new TaskFailure('invalid_input', `spec is nested deeper than ${DEPTH} levels`)
  if (Array.isArray(value)) {
    value.forEach((item: Json, at) => refuseUrls(item, `${path}[${at}]`, depth + 1))
    return
  }
  if (!isObject(value)) return
  for (const [key, item] of Object.entries(value)) {
    if (key === 'values' || key === 'datasets') continue
    const here = `${path}.${key}`
    if (key === 'data' && isObject(item) && 'url' in item) {
      throw new TaskFailure('egress_refused', `a chart loads nothing: ${here}.url; give the rows as data`)
    }
    refuseUrls(item, here, depth + 1)
  }
}

function invalidWhenThrown<T>(what: string, work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    throw new TaskFailure('invalid_input', `${what} cannot be used: ${why}`)
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
