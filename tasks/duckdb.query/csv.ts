import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { DuckDBConnection, DuckDBType } from '@duckdb/node-api'
import { TaskFailure } from '@/tasks/support/task-failure'
import { exactCsvColumn, type Column, type Exact } from './exact-column'
import { quoteName, quoteText } from './quote'

/** What DuckDB guesses of a CSV file. */
type Guess = {
  /** Lines at its beginning that are no part of the table. */
  readonly skip: number
  readonly header: boolean
  readonly delimiter: string
  /** What a line begins with that is left out; null: none is. */
  readonly comment: string | null
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  /** Null: dates and times are in ISO 8601. */
  readonly timestampFormat: string | null
}

/** A CSV file and the name by which a query can read it with options. */
export type CsvFile = { readonly name: string; readonly file: string }

export type Surroundings = {
  readonly connection: DuckDBConnection
  readonly workDir: string
  readonly warn: (message: string) => void
}

/** DuckDB guesses types from so many lines, unless it is asked to read them all. */
const SAMPLE_LINES = 20_480
/** A file with fewer bytes has no more lines than those that are guessed from. */
const SAMPLE_BYTES = 2 * SAMPLE_LINES

/**
 * A SELECT over a CSV file as DuckDB guesses it from all of its lines, which changes and leaves out nothing in silence: what `checkLines`
 * refuses is refused, and so is a value that its column would change, in the moment in which the query reads it.
 * @throws TaskFailure `task_failed`
 */
export async function selectCsv(csv: CsvFile, at: Surroundings): Promise<string> {
  const guess = await guessOf(csv.file, at.connection)
  await checkLines(csv, guess, at)
  const { header, columns } = await guessOfAll(csv.file, guess, at)
  const { types, values } = await exactly(csv, guess, columns, at.connection)
  const replaced = values.length === 0 ? '' : ` replace (${values.map(({ value }) => value).join(', ')})`
  return `select *${replaced} from read_csv(${quoteText(csv.file)}, header = ${header}, types = {${types}})`
}

/**
 * Looks through a file that a query reads by `read_csv` without any option, where DuckDB guesses as well.
 * @throws TaskFailure `task_failed` as `selectCsv`, for the whole file, and where later lines have other types than those it is guessed from
 */
export async function checkCsv(csv: CsvFile, at: Surroundings): Promise<void> {
  const { name, file } = csv
  const guess = await guessOf(file, at.connection)
  await checkLines(csv, guess, at)
  const all = await guessOfAll(file, guess, at)
  guess.columns.forEach((column, index) => {
    const type = all.columns[index]?.type
    if (type !== undefined && type !== column.type)
      throw new TaskFailure(
        'task_failed',
        `${name}: column ${column.name} of ${file} was taken for ${column.type} from the first ${SAMPLE_LINES} lines, but is ${type} in all of them, and values would be changed. Let the query read them all: read_csv($${name}, sample_size = -1)`,
      )
  })
  const { types, values } = await exactly(csv, guess, guess.columns, at.connection)
  const from = `read_csv(${quoteText(file)}, header = ${guess.header}, types = {${types}})`
  await refuseLosses(values, from, at.connection)
}

/** @throws TaskFailure where a row of `from` has a text that its column would change */
export async function refuseLosses(
  values: readonly Exact[],
  from: string,
  connection: DuckDBConnection,
): Promise<void> {
  if (values.length === 0) return
  const lost = values.map((exact) => exact.lost)
  const where = lost.map((one) => `${one} is not null`).join(' or ')
  const found = await connection.runAndReadAll(
    `select ${lost.join(', ')} from ${from} where ${where} limit 1`,
  )
  const [row = []] = found.getRows()
  const index = row.findIndex((text) => text !== null)
  const text = row[index]
  if (text !== undefined) throw new TaskFailure('task_failed', `${values[index]?.message}${String(text)}`)
}

async function guessOf(file: string, connection: DuckDBConnection, options = ''): Promise<Guess> {
  const found = await connection.runAndReadAll(
    `select SkipRows::integer as skip, HasHeader as header, Delimiter as delimiter, Comment as comment,
      Columns::json::varchar as columns, TimestampFormat as "timestampFormat" from sniff_csv(${quoteText(file)}${options})`,
  )
  const [row = {}] = found.getRowObjectsJS()
  return {
    skip: Number(row['skip']),
    header: row['header'] === true,
    delimiter: String(row['delimiter']),
    // DuckDB's word for none.
    comment: row['comment'] === '(empty)' ? null : String(row['comment']),
    columns: JSON.parse(String(row['columns'])) as Guess['columns'],
    timestampFormat: typeof row['timestampFormat'] === 'string' ? row['timestampFormat'] : null,
  }
}

/** The same guess with the types of all lines: those after the sample would be rounded or cut to what the sample has. */
async function guessOfAll(file: string, guess: Guess, at: Surroundings): Promise<Guess> {
  const { size } = await stat(join(at.workDir, file))
  if (size < SAMPLE_BYTES) return guess
  const { delimiter, header, skip, comment } = guess
  const dialect = `, sample_size = -1, delim = ${quoteText(delimiter)}, header = ${header}, skip = ${skip}, comment = ${quoteText(comment ?? '')}`
  const all = await guessOf(file, at.connection, dialect)
  return all.columns.length === guess.columns.length ? { ...guess, columns: all.columns } : guess
}

/** Types for every column, and the values of those that DuckDB would change. */
async function exactly(
  csv: CsvFile,
  { timestampFormat }: Guess,
  guessed: Guess['columns'],
  connection: DuckDBConnection,
): Promise<{ readonly types: string; readonly values: readonly Exact[] }> {
  const columns = await typed(guessed, connection)
  const exact = columns.map((column) =>
    // In a format of its own every text is what the format says, or refused.
    timestampFormat !== null && column.type.toString().startsWith('TIMESTAMP')
      ? null
      : exactCsvColumn(column, csv),
  )
  const types = columns.map(
    ({ name, type }, index) => `${quoteText(name)}: ${quoteText(exact[index]?.readAs ?? type.toString())}`,
  )
  return { types: types.join(', '), values: exact.filter((one) => one !== null) }
}

/** Names of types as types. */
async function typed(columns: Guess['columns'], connection: DuckDBConnection): Promise<readonly Column[]> {
  const nulls = columns.map(({ name, type }) => `null::${type} as ${quoteName(name)}`)
  const found = await connection.runAndReadAll(`select ${nulls.join(', ')}`)
  const types: readonly DuckDBType[] = found.columnTypes()
  return columns.flatMap(({ name }, index) => {
    const type = types[index]
    return type === undefined ? [] : [{ name, type }]
  })
}

/**
 * DuckDB begins where the lines become alike, and takes lines that begin with # for comments where others become alike by that. A title or a
 * comment is left out; lines with a delimiter look like rows.
 */
async function checkLines(csv: CsvFile, guess: Guess, at: Surroundings): Promise<void> {
  const { name, file } = csv
  const { skip, delimiter, comment } = guess
  if (skip === 0 && comment === null) return
  const { first, comments, likeRow } = await linesOf(join(at.workDir, file), guess)
  if (likeRow !== null)
    throw new TaskFailure(
      'task_failed',
      `${name}: reading ${file} would leave out line ${likeRow}, which begins with ${comment} like a comment and looks like a row. Say in the query how to read it: read_csv($${name}, comment = '', null_padding = true) takes it as a row, read_csv($${name}, comment = '${comment}') leaves it out`,
    )
  if (comments > 0) at.warn(`${name}: lines that begin with ${comment} are no part of the table: ${comments}`)
  if (skip === 0) return
  const left = skip === 1 ? 'its first line' : `its first ${skip} lines`
  if (!first.some((line) => line.includes(delimiter))) {
    return at.warn(`${name}: ${left} stand above the table and are no part of it`)
  }
  throw new TaskFailure(
    'task_failed',
    `${name}: reading ${file} would leave out ${left}, as the lines after it have another number of columns. Say in the query how to read it: read_csv($${name}, null_padding = true) fills short lines with null, read_csv($${name}, skip = ${skip}) leaves them out`,
  )
}

type Lines = {
  /** Those that a guess skips. */
  readonly first: readonly string[]
  /** How many after them begin as a comment does. */
  readonly comments: number
  /** The number of the first of these that looks like a row. */
  readonly likeRow: number | null
}

/** The lines that a guess leaves out. */
async function linesOf(path: string, { skip, comment, delimiter }: Guess): Promise<Lines> {
  const file = await open(path)
  const first: string[] = []
  let [number, comments] = [0, 0]
  try {
    for await (const line of createInterface({ input: file.createReadStream({ autoClose: false }) })) {
      number += 1
      if (number <= skip) first.push(line)
      else if (comment === null) break
      else if (line.startsWith(comment)) {
        comments += 1
        if (line.includes(delimiter)) return { first, comments, likeRow: number }
      }
    }
  } finally {
    await file.close()
  }
  return { first, comments, likeRow: null }
}
