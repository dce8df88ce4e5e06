import { isRecord } from '@/core/pipeline/json'

export type ValueRow = { readonly [column: string]: unknown }
export type RowSort = { readonly column: string; readonly descending: boolean }

/** Rows that are inspected to find out whether a list is a table, and its columns. */
const LOOKED_AT = 200

/** Whether a value is a list of records, judged by its first rows. */
export function isTable(value: unknown): value is readonly ValueRow[] {
  return Array.isArray(value) && value.length > 0 && value.slice(0, LOOKED_AT).every(isRecord)
}

export function columnsOf(rows: readonly ValueRow[]): readonly string[] {
  return [...new Set(rows.slice(0, LOOKED_AT).flatMap((row) => Object.keys(row)))]
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** Sorts by a column: numbers by size, everything else as text; rows without a value are last in both directions. */
export function sortRows(rows: readonly ValueRow[], { column, descending }: RowSort): readonly ValueRow[] {
  const sign = descending ? -1 : 1
  const isNothing = (value: unknown) => value === undefined || value === null
  // A shared collator: locale comparison of thousands of texts is slow otherwise.
  const { compare } = new Intl.Collator(undefined, { numeric: true })
  const keyed = rows.map((row) => ({ row, value: isRecord(row) ? row[column] : undefined }))
  keyed.sort(({ value: a }, { value: b }) => {
    if (isNothing(a) || isNothing(b)) return Number(isNothing(a)) - Number(isNothing(b))
    if (typeof a === 'number' && typeof b === 'number') return sign * (a - b)
    return sign * compare(textOf(a), textOf(b))
  })
  return keyed.map(({ row }) => row)
}

/** CSV (RFC 4180). Text that a spreadsheet would read as a formula gets an apostrophe before it. */
export function csvOf(rows: readonly ValueRow[], columns: readonly string[]): string {
  const field = (value: unknown) => {
    const text = value === undefined || value === null ? '' : textOf(value)
    const safe = typeof value !== 'number' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  }
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))]
  return `${lines.map((line) => line.map(field).join(',')).join('\r\n')}\r\n`
}
