import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { exactDouble } from './exact-double'
import { quoteText } from './quote'

const BOM = Buffer.from('\ufeff')

/** A SELECT over a JSON file as DuckDB guesses it, whose columns of doubles hold the numbers of the file as they are written. */
export async function selectJson(
  { name, file }: { readonly name: string; readonly file: string },
  { connection, workDir }: { readonly connection: DuckDBConnection; readonly workDir: string },
): Promise<string> {
  const path = quoteText(await withoutMark(file, workDir))
  const found = await connection.runAndReadAll(`describe select * from read_json(${path})`)
  const columns = found.getRowObjectsJS().map((row) => ({
    name: String(row['column_name']),
    type: String(row['column_type']),
  }))
  const doubles = columns.filter(({ type }) => type === 'DOUBLE')
  if (doubles.length === 0) return `select * from read_json(${path})`
  const types = columns.map(
    (column) => `${quoteText(column.name)}: ${quoteText(column.type === 'DOUBLE' ? 'JSON' : column.type)}`,
  )
  const exact = doubles.map((column) => exactDouble(column.name, { name, file, reader: 'read_json' }))
  return `select * replace (${exact.join(', ')}) from read_json(${path}, columns = {${types.join(', ')}})`
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
