import type { DuckDBConnection } from '@duckdb/node-api'
import { TaskFailure } from '@/tasks/support/task-failure'
import { checkCsv, selectCsv } from './csv'
import { checkJson, selectJson } from './json'
import { quoteName, quoteText } from './quote'

const READERS: ReadonlyMap<string, 'read_csv' | 'read_json' | 'read_parquet'> = new Map([
  ['csv', 'read_csv'],
  ['tsv', 'read_csv'],
  ['txt', 'read_csv'],
  ['json', 'read_json'],
  ['jsonl', 'read_json'],
  ['ndjson', 'read_json'],
  ['parquet', 'read_parquet'],
])

/** Files by their names, as they lie in the folder of the attempt. */
export type Files = ReadonlyMap<string, string>

export type Views = {
  /**
   * Does `work` (which prepares a statement), and after `again` once more with a view over a file for each table that DuckDB does not find and
   * that has the name of a file: only what the query asks for is read.
   */
  readonly withViews: <T>(work: () => Promise<T>, again: () => Promise<void>) => Promise<T>
  /** Before a query is taken apart: looks at files that it reads by `read_csv` or `read_json` without an option. */
  readonly prepareFor: (sql: string) => Promise<void>
}

export function createViews(
  files: Files,
  at: { connection: DuckDBConnection; workDir: string; warn: (message: string) => void },
): Views {
  const readers = [...files].flatMap(([name, file]) => {
    const reader = readerOf(file)
    // Other kinds of file can be read by their name, with a function that the query chooses.
    return reader === undefined ? [] : [{ name, file, reader }]
  })

  for (const [name] of files) {
    const other = [...files].find(([own, file]) => own !== name && file.toLowerCase() === name.toLowerCase())
    if (other !== undefined && files.get(name) !== other[1])
      throw new TaskFailure('invalid_input', `files.${name}: another file, of files.${other[0]}, is named so`)
  }

  async function create({ name, file, reader }: (typeof readers)[number]): Promise<void> {
    const select =
      reader === 'read_csv'
        ? await selectCsv({ name, file }, at)
        : reader === 'read_json'
          ? await selectJson({ name, file }, at)
          : `select * from read_parquet(${quoteText(file)})`
    await at.connection.run(`create view ${quoteName(name)} as ${select}`)
  }

  return {
    async withViews(work, again) {
      const made = new Set<string>()
      for (;;) {
        try {
          return await work()
        } catch (thrown) {
          const message = thrown instanceof Error ? thrown.message : ''
          const missing = readers.find(({ name }) => !made.has(name) && isMissing(name, message))
          if (missing === undefined) throw thrown
          made.add(missing.name)
          await create(missing)
          await again()
        }
      }
    },
    async prepareFor(sql) {
      // Of a PIVOT, DuckDB makes several statements with names that hold for one reading of the text.
      const early = /\b(?:un)?pivot/i.test(sql) ? readers.filter(({ name }) => isNamed(name, sql)) : []
      for (const one of early) await create(one).catch(onlyFailures)
      const reads = new Map([...readsWithoutOptions(sql, files)].map(({ file, reader }) => [file, reader]))
      for (const [file, reader] of reads) {
        const name = [...files].find(([, one]) => one === file)?.[0]
        const check = reader === 'read_csv' ? checkCsv : checkJson
        if (name !== undefined) await check({ name, file }, at).catch(onlyFailures)
      }
    },
  }
}

/** DuckDB's own words for a table that it does not know. A name with a point is taken for a file before it is. */
function isMissing(name: string, message: string): boolean {
  const lower = message.toLowerCase()
  const plain = name.toLowerCase()
  return (
    lower.startsWith(`catalog error: table with name ${plain} does not exist!`) ||
    lower.startsWith(`catalog error: view with name ${plain} does not exist!`) ||
    lower.startsWith(`io error: no files found that match the pattern "${plain}"`)
  )
}

function isNamed(name: string, sql: string): boolean {
  const lower = name.toLowerCase()
  return sql.toLowerCase().replaceAll(`$${lower}`, '').includes(lower)
}

/** What DuckDB says to a file that it cannot read stands in the answer to the query itself. */
function onlyFailures(thrown: unknown): void {
  if (thrown instanceof TaskFailure) throw thrown
}

type Read = { readonly file: string; readonly reader: 'read_csv' | 'read_json' }

/** Files that a query reads as DuckDB guesses them: by a function without options, or by their name. */
function* readsWithoutOptions(sql: string, files: Files): Generator<Read> {
  const call =
    /\bread_(csv|json|ndjson)(?:_auto)?\s*\(\s*(?:\$(\w+)|(['"])([^'"]+)\3)\s*\)|\b(?:from|join)\s+(['"])([^'"]+)\5/gi
  for (const [, kind, name, , text, , table] of sql.matchAll(call)) {
    const file = name === undefined ? (text ?? table) : files.get(name)
    const reader =
      kind === undefined ? readerOf(file ?? '') : kind.toLowerCase() === 'csv' ? 'read_csv' : 'read_json'
    if (file !== undefined && reader !== undefined && reader !== 'read_parquet') yield { file, reader }
  }
}

function readerOf(file: string): 'read_csv' | 'read_json' | 'read_parquet' | undefined {
  return READERS.get(/\.([A-Za-z0-9]+)$/.exec(file)?.[1]?.toLowerCase() ?? '')
}
