import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type {
  DuckDBConnection,
  DuckDBExtractedStatements,
  DuckDBPreparedStatement,
  DuckDBResult,
  DuckDBValue,
} from '@duckdb/node-api'
import type { Json, JsonObject } from '@/core/engine/event'
import type { TaskContext, TaskRun } from '@/server/ports/runner'
import { contentTypeOf } from '@/tasks/support/content-type'
import { TaskFailure } from '@/tasks/support/task-failure'
import { wellFormed } from '@/tasks/support/well-formed'
import { sameDigits } from '@/core/pipeline/number-text'
import { hasUnnamedFields, jsonOf } from './json-values'
import { quoteName, quoteText } from './quote'
import { checkStatement, refuseFunctions } from './statements'
import { createViews, type Files, type Views } from './views'

const MAX_ROWS = { usual: 1_000, most: 100_000 } as const
const FORMATS: ReadonlyMap<string, string> = new Map([
  ['parquet', 'format parquet'],
  ['csv', 'format csv, header'],
  ['json', 'format json, array true'],
])
/**
 * Runs `sql` in a DuckDB of its own, in memory, that sees nothing but the attempt's folder.
 *
 * `files` maps a name to a file (the runner has copied each into the attempt's folder): a query that reads a table of that name gets a view
 * over it, and `read_csv('weather.csv')` finds it by its own name too. Several statements may stand in `sql`; the last one's result counts,
 * and `params` (a list for `$1, $2…`, an object for `$name`) belong to it; the name of a file is a parameter too: `read_csv($weather)`.
 * Outputs: `row_count` of the whole result, `rows` at most `max_rows` (default 1,000) of them, `columns`, and with `format`
 * the whole result as `artifact`. The log says how many rows are left out.
 */
export const run: TaskRun = async (input, context) => {
  const sql = input['sql']
  if (typeof sql !== 'string' || sql.trim() === '') throw new TaskFailure('invalid_input', 'sql must be text')
  wellFormed(sql, 'sql')
  const maxRows = readMaxRows(input['max_rows'])
  const format = readFormat(input['format'])
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
  const connection = await instance.connect()
  // A connection that does anything else ends the result that it streams: what keeps the result has its own.
  const keeper = await instance.connect()
  const interrupt = () => connection.interrupt()
  context.signal.addEventListener('abort', interrupt)
  try {
    await confine(connection, context)
    const files = readFiles(input['files'])
    const views = createViews(files, {
      connection,
      workDir: context.workDir,
      warn: (message) => context.log('log', message),
    })
    const params = readParams(input['params'], files)
    const result = await execute(connection, { sql, params, views })
    const names = result.deduplicatedColumnNames()
    const columns = result.columnTypes().map((type, at) => ({ name: names[at] ?? '', type: type.toString() }))
    refuseUnnamedFields(result)
    const keep = format === null ? null : await createTable(keeper, columns)
    const rows: Json[] = []
    let rowCount = 0
    for await (const chunk of result) {
      if (keep !== null) keep.append(chunk)
      rowCount += chunk.rowCount
      if (rows.length >= maxRows) continue
      const types = result.columnTypes()
      for (const values of chunk.getRows().slice(0, maxRows - rows.length)) {
        rows.push(
          rowOf(names, values, (value, at) => (types[at] === undefined ? null : jsonOf(value, types[at]))),
        )
      }
    }
    if (rows.length < rowCount) {
      context.log('log', `rows holds the first ${rows.length} of ${rowCount} rows (max_rows is ${maxRows})`)
    }
    const outputs = { row_count: rowCount, rows, columns }
    if (format === null || keep === null) return { ...outputs, artifact: null }
    keep.close()
    const name = `result.${format}`
    // A fresh name: no file of the author's can be in its way.
    const folder = join(context.workDir, '_result')
    await mkdir(folder)
    const file = join(folder, name)
    await keeper.run(`copy penstock_result to ${quoteText(file)} (${FORMATS.get(format) ?? ''})`)
    return { ...outputs, artifact: { $file: file, name, contentType: contentTypeOf(name) } }
  } catch (thrown) {
    if (thrown instanceof TaskFailure) throw thrown
    // What DuckDB refuses is the author's to repair, and leaves the process as good as before.
    throw new TaskFailure('task_failed', messageOf(thrown))
  } finally {
    context.signal.removeEventListener('abort', interrupt)
    connection.closeSync()
    keeper.closeSync()
    instance.closeSync()
  }
}

/** In this order: what may be reached, then nothing else, then no way back. By default DuckDB reads and writes anywhere. */
async function confine(connection: DuckDBConnection, { workDir }: TaskContext): Promise<void> {
  await connection.run(`set home_directory = ${quoteText(workDir)}`)
  await connection.run(`set temp_directory = ${quoteText(join(workDir, '_temp'))}`)
  await connection.run(`set max_temp_directory_size = '2GB'`)
  await connection.run(`set memory_limit = '600MB'`)
  // No folder can be made below a device: whatever wants to install an extension fails before it asks for it.
  await connection.run(`set extension_directory = '/dev/null/extensions'`)
  await connection.run(`set allow_community_extensions = false`)
  await connection.run(`set allow_persistent_secrets = false`)
  await connection.run(`set autoinstall_known_extensions = false`)
  await connection.run(`set autoload_known_extensions = false`)
  await connection.run(`set allowed_directories = [${quoteText(workDir)}]`)
  await connection.run(`set enable_external_access = false`)
  await connection.run(`set lock_configuration = true`)
}

function readFiles(files: Json | undefined): Files {
  const entries = Object.entries((files ?? {}) as JsonObject)
  return new Map(
    entries.map(([name, file]) => {
      if (typeof file !== 'string') throw new TaskFailure('invalid_input', `files.${name} must be a path`)
      return [name, file]
    }),
  )
}

async function execute(
  connection: DuckDBConnection,
  { sql, params, views }: { readonly sql: string; readonly params: Params; readonly views: Views },
): Promise<DuckDBResult> {
  refuseFunctions(sql)
  await views.prepareFor(sql)
  let statements = await extract(connection, sql)
  const text = { sql, count: statements.count }
  const prepare = (at: number) =>
    views.withViews(
      () => statements.prepare(at),
      async () => {
        // DuckDB gives each statement of a text away once.
        statements = await extract(connection, sql)
      },
    )
  for (let at = 0; at < text.count - 1; at += 1) {
    await withStatement(await prepare(at), async (statement) => {
      await checkStatement(connection, statement, text)
      return statement.run()
    })
  }
  return withStatement(await prepare(text.count - 1), async (statement) => {
    await checkStatement(connection, statement, text)
    bind(statement, params)
    return statement.stream()
  })
}

async function extract(connection: DuckDBConnection, sql: string): Promise<DuckDBExtractedStatements> {
  return connection.extractStatements(sql).catch((thrown: unknown) => {
    const message = messageOf(thrown)
    // What DuckDB's binding says to a text without any statement.
    if (message === 'Error in native callback') {
      throw new TaskFailure('invalid_input', 'sql has no statement')
    }
    throw new TaskFailure('task_failed', message)
  })
}

async function withStatement<T>(
  statement: DuckDBPreparedStatement,
  use: (statement: DuckDBPreparedStatement) => Promise<T>,
): Promise<T> {
  try {
    return await use(statement)
  } finally {
    statement.destroySync()
  }
}

/** A table that takes the whole result, because only DuckDB can write Parquet and a statement must not run twice. */
async function createTable(connection: DuckDBConnection, columns: readonly { name: string; type: string }[]) {
  const list = columns.map(
    ({ name, type }) => `${quoteName(name)} ${type === 'SQLNULL' || type === '"NULL"' ? 'VARCHAR' : type}`,
  )
  await connection.run(`create table penstock_result (${list.join(', ')})`)
  const appender = await connection.createAppender('penstock_result')
  return {
    append: (chunk: Parameters<typeof appender.appendDataChunk>[0]) => appender.appendDataChunk(chunk),
    close: () => appender.closeSync(),
  }
}

/** @throws TaskFailure */
function refuseUnnamedFields(result: DuckDBResult): void {
  const at = result.columnTypes().findIndex(hasUnnamedFields)
  if (at < 0) return
  const name = result.deduplicatedColumnNames()[at]
  throw new TaskFailure(
    'task_failed',
    `column ${name} has objects whose fields have no names, as row(1, 2) makes them, so that only one would be left: name them, as in {'a': 1, 'b': 2}`,
  )
}

function rowOf(
  names: readonly string[],
  values: readonly DuckDBValue[],
  convert: (value: DuckDBValue, at: number) => Json,
): Json {
  return Object.fromEntries(names.map((name, at) => [name, convert(values[at] ?? null, at)]))
}

/** `given` has to stand in the statement; `offered` may. */
type Params = {
  readonly given: ReadonlyMap<string, DuckDBValue>
  readonly offered: ReadonlyMap<string, string>
}

function readParams(params: Json | undefined, files: Files): Params {
  if (typeof params !== 'object' && params !== undefined) {
    throw new TaskFailure('invalid_input', 'params must be a list or an object')
  }
  const entries = Array.isArray(params)
    ? params.map((value: Json, at) => [String(at + 1), value] as const)
    : Object.entries((params ?? {}) as JsonObject)
  return {
    given: new Map(entries.map(([name, value]) => [name, parameter(value, name)])),
    offered: files,
  }
}

function bind(statement: DuckDBPreparedStatement, { given, offered }: Params): void {
  const wanted = new Set<string>()
  for (let at = 1; at <= statement.parameterCount; at += 1) {
    const name = statement.parameterName(at)
    wanted.add(name)
    const value = given.has(name) ? given.get(name) : offered.get(name)
    if (value === undefined)
      throw new TaskFailure('invalid_input', `params: sql has $${name}, but no value is given for it`)
    // Of a number that is whole, its binding makes a whole number, which may be too large for one.
    if (typeof value === 'number') statement.bindDouble(at, value)
    else statement.bindValue(at, value)
  }
  for (const name of given.keys()) {
    if (!wanted.has(name)) throw new TaskFailure('invalid_input', `params.${name}: sql has no $${name}`)
  }
}

/** DuckDB's widest whole numbers. */
const MOST_WHOLE = 2 ** 127

/** Whole numbers are bound as such: DuckDB refuses a double where a count is wanted, and compares whole numbers with one in doubles. */
function parameter(value: Json, name: string): DuckDBValue {
  if (typeof value === 'number') {
    if (!Number.isInteger(value) || Math.abs(value) >= MOST_WHOLE) return value
    const whole = BigInt(value)
    // Beyond 2^53 a number may stand for its neighbours: 1.5e30 is a measure, and no count.
    return sameDigits(`${whole}`, `${value}`) ? whole : value
  }
  if (typeof value === 'string') return wellFormed(value, `params.${name}`)
  if (value === null || typeof value !== 'object') return value
  throw new TaskFailure('invalid_input', `params.${name} must be text, a number, a boolean or null`)
}

function readMaxRows(value: Json | undefined): number {
  if (value === undefined || value === null) return MAX_ROWS.usual
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_ROWS.most)
    return value
  throw new TaskFailure('invalid_input', `max_rows must be a whole number from 0 to ${MAX_ROWS.most}`)
}

function readFormat(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' && FORMATS.has(value)) return value
  throw new TaskFailure('invalid_input', `format must be one of ${[...FORMATS.keys()].join(', ')}`)
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
