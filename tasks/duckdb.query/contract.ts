import { ONE_CHILD } from '@/core/pipeline/definition/demand'
import { z } from 'zod'
import type { TaskContract } from '@/tasks/contract'
import { filesReference } from '@/tasks/fields'

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()])

export const duckdbQuery = {
  type: 'duckdb.query',
  title: 'Query with SQL',
  description:
    'Runs SQL over files with DuckDB. Files are named by `files` and read by that name; values come in by `params`.',
  category: 'data',
  icon: 'database',
  keywords: 'sql database table transform',
  input: z.strictObject({
    sql: z.string().min(1).max(100_000).meta({
      title: 'SQL',
      description: 'One or more statements; the rows of the last one are the result.',
      contentMediaType: 'application/sql',
    }),
    files: z
      .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,99}$/), filesReference)
      .optional()
      .describe(
        "Files by the name with which the SQL reads them: read_csv_auto($name). A list of files is a folder: read_csv('name/*.csv').",
      ),
    params: z
      .union([z.array(scalar).max(1_000), z.record(z.string(), scalar)])
      .optional()
      .describe('Values for $1, $2 … or $name.'),
    max_rows: z.number().int().min(0).max(100_000).optional().describe('How many rows become a value.'),
    format: z
      .enum(['parquet', 'csv', 'json'])
      .optional()
      .describe('Keeps all rows as a file of this format, too.'),
  }),
  output: {
    row_count: { type: 'number', description: 'How many rows the query gave.' },
    rows: { type: 'array', description: 'The first rows, as objects.' },
    columns: { type: 'array', description: 'Name and type of each column.' },
    artifact: { type: 'file', description: 'All rows as a file, when `format` is given.' },
  },
  example: {
    sql: 'select * from read_csv_auto($file) where rain > $least',
    files: { file: 'weather.csv' },
    params: { least: 0 },
    max_rows: 100,
  },
  takesFiles: { input: 'files', many: true },
  placement: 'child',
  demands: ONE_CHILD,
} satisfies TaskContract
