import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { DuckDBConnection } from '@duckdb/node-api'
import { TaskFailure } from '@/tasks/support/task-failure'
import { exactDouble, losesDigits, lossOf } from './exact-double'
import { quoteName, quoteText } from './quote'

/** What DuckDB guesses of a CSV file. */
type Guess = {
  /** Lines at its beginning that are no part of the table. */
  readonly skip: number
  readonly header: boolean
  readonly delimiter: string
  /** Columns that it takes for DOUBLE. */
  readonly doubles: readonly string[]
}

/** A CSV file and the name by which a query can read it with options. */
export type CsvFile = { readonly name: string; readonly file: string }

type Surroundings = {
  readonly connection: DuckDBConnection
  readonly workDir: string
  readonly warn: (message: string) => void
}

/**
 * A SELECT over a CSV file as DuckDB guesses it, which changes and leaves out nothing in silence: what `checkLines` refuses is refused, and so is a
 * whole number in a column of doubles that no double holds, in the moment in which the query reads it.
 * @throws TaskFailure `task_failed`
 */
export async function selectCsv(csv: CsvFile, at: Surroundings): Promise<string> {
  const guess = await guessOf(csv.file, at.connection)
  await checkLines(csv, guess, at)
  if (guess.doubles.length === 0) return `select * from read_csv(${quoteText(csv.file)})`
  const exact = guess.doubles.map((column) =>
    exactDouble(column, { name: csv.name, file: csv.file, reader: 'read_csv' }),
  )
  return `select * replace (${exact.join(', ')}) from ${withDoublesAsText(csv.file, guess)}`
}

/**
 * Looks through a file that a query reads by `read_csv` without any option, where DuckDB guesses as well.
 * @throws TaskFailure `task_failed` as `selectCsv`, for the whole file
 */
export async function checkCsv(csv: CsvFile, at: Surroundings): Promise<void> {
  const guess = await guessOf(csv.file, at.connection)
  await checkLines(csv, guess, at)
  for (const column of guess.doubles) {
    const name = quoteName(column)
    const found = await at.connection.runAndReadAll(
      `select ${name} from ${withDoublesAsText(csv.file, guess)} where ${losesDigits(name)} limit 1`,
    )
    const [row] = found.getRows()
    if (row !== undefined)
      throw new TaskFailure(
        'task_failed',
        `${lossOf(column, { ...csv, reader: 'read_csv' })}${String(row[0])}`,
      )
  }
}

async function guessOf(file: string, connection: DuckDBConnection): Promise<Guess> {
  const found = await connection.runAndReadAll(
    `select SkipRows::integer as skip, HasHeader as header, Delimiter as delimiter,
      [c.name for c in Columns if c.type = 'DOUBLE']::json::varchar as doubles from sniff_csv(${quoteText(file)})`,
  )
  const [row = {}] = found.getRowObjectsJS()
  return {
    skip: Number(row['skip']),
    header: row['header'] === true,
    delimiter: String(row['delimiter']),
    doubles: JSON.parse(String(row['doubles'])) as string[],
  }
}

/** DuckDB begins where the lines become alike. A title or a comment above the table is left out; lines with a delimiter look like rows. */
async function checkLines(
  { name, file }: CsvFile,
  { skip, delimiter }: Guess,
  at: Surroundings,
): Promise<void> {
  if (skip === 0) return
  const lines = await firstLines(join(at.workDir, file), skip)
  const left = skip === 1 ? 'its first line' : `its first ${skip} lines`
  if (!lines.some((line) => line.includes(delimiter))) {
    return at.warn(`${name}: ${left} stand above the table and are no part of it`)
  }
  throw new TaskFailure(
    'task_failed',
    `${name}: reading ${file} would leave out ${left}, as the lines after it have another number of columns. Say in the query how to read it: read_csv($${name}, null_padding = true) fills short lines with null, read_csv($${name}, skip = ${skip}) leaves them out`,
  )
}

async function firstLines(path: string, count: number): Promise<string[]> {
  const file = await open(path)
  const lines: string[] = []
  try {
    for await (const line of createInterface({ input: file.createReadStream({ autoClose: false }) })) {
      lines.push(line)
      if (lines.length >= count) break
    }
  } finally {
    await file.close()
  }
  return lines
}

function withDoublesAsText(file: string, { header, doubles }: Guess): string {
  const types = doubles.map((column) => `${quoteName(column)}: 'VARCHAR'`)
  return `read_csv(${quoteText(file)}, header = ${header}, types = {${types.join(', ')}})`
}
