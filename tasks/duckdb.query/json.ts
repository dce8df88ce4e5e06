import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { TaskFailure } from '@/tasks/support/task-failure'
import { refuseLosses, type Surroundings } from './csv'
import { exactJsonColumn, type Column, type Exact } from './exact-column'
import { quoteText } from './quote'

const BOM = Buffer.from('\ufeff')

/** A JSON file and the name by which a query can read it with options. */
type JsonFile = { readonly name: string; readonly file: string }

/**
 * A SELECT over a JSON file as DuckDB guesses it from all of its values, whose doubles are the numbers of the file as they are written, also
 * inside of objects and lists.
 */
export async function selectJson(
  json: JsonFile,
  { connection, workDir }: Pick<Surroundings, 'connection' | 'workDir'>,
): Promise<string> {
  const path = quoteText(await withoutMark(json.file, workDir))
  const columns = await columnsOf(`read_json(${path}, sample_size = -1)`, connection)
  const { types, values } = exactly(json, columns)
  if (values.length === 0) return `select * from read_json(${path}, sample_size = -1)`
  const replaced = values.map(({ value }) => value).join(', ')
  return `select * replace (${replaced}) from read_json(${path}, columns = {${types}})`
}

/**
 * Looks through a file that a query reads by `read_json` without any option.
 * @throws TaskFailure `task_failed` for a number that would change, and where later values have other types than those it is guessed from
 */
export async function checkJson(json: JsonFile, { connection }: Surroundings): Promise<void> {
  const { name, file } = json
  const path = quoteText(file)
  const sampled = await columnsOf(`read_json(${path})`, connection)
  for (const column of await columnsOf(`read_json(${path}, sample_size = -1)`, connection)) {
    const type = sampled.find((one) => one.name === column.name)?.type
    if (type === undefined || type.toString() === column.type.toString()) continue
    throw new TaskFailure(
      'task_failed',
      `${name}: column ${column.name} of ${file} was taken for ${type} from its first values, but is ${column.type} in all of them, and values would be changed. Let the query read them all: read_json($${name}, sample_size = -1)`,
    )
  }
  const { types, values } = exactly(json, sampled)
  await refuseLosses(values, `read_json(${path}, columns = {${types}})`, connection)
}

async function columnsOf(from: string, connection: DuckDBConnection): Promise<readonly Column[]> {
  const found = await connection.runAndReadAll(`select * from ${from} limit 0`)
  const names = found.columnNames()
  return found.columnTypes().map((type, index) => ({ name: names[index] ?? '', type }))
}

/** Types for every column, and the values of those that DuckDB would change. */
function exactly(
  json: JsonFile,
  columns: readonly Column[],
): { readonly types: string; readonly values: readonly Exact[] } {
  const exact = columns.map((column) => exactJsonColumn(column, json))
  const types = columns.map(
    ({ name, type }, index) => `${quoteText(name)}: ${quoteText(exact[index]?.readAs ?? type.toString())}`,
  )
  return { types: types.join(', '), values: exact.filter((one) => one !== null) }
}

/** DuckDB takes a list in JSON for one value when a byte order mark stands before it: such a file is read from a copy. */
async function withoutMark(file: string, workDir: string): Promise<string> {
  const path = join(workDir, file)
  const handle = await open(path)
  const start = Buffer.alloc(BOM.length)
  try {
    await handle.read(start, 0, BOM.length, 0)
  } finally {
    await handle.close()
  }
  if (!start.equals(BOM)) return file
  await mkdir(join(workDir, '_unmarked'), { recursive: true })
  const copy = join('_unmarked', file)
  await pipeline(createReadStream(path, { start: BOM.length }), createWriteStream(join(workDir, copy)))
  return copy
}
