import type { DuckDBType } from '@duckdb/node-api'
import { quoteName, quoteText } from './quote'

/** A column of a file as DuckDB guesses it. */
export type Column = { readonly name: string; readonly type: DuckDBType }

/** A file, the name by which a query can read it with options, and what reads it. */
type Source = {
  readonly name: string
  readonly file: string
  readonly reader: 'read_csv' | 'read_json'
}

/** How a column is read, so that DuckDB changes nothing of what the file says [R-86]. */
export type Exact = {
  /** The type in which its text is read. */
  readonly readAs: string
  /** SQL for the first text in a row that the column's type would change; null where there is none. */
  readonly lost: string
  /** What is wrong with such a text, up to the text itself. */
  readonly message: string
  /** SQL for the column's value, which fails in the moment in which the query reads such a text. */
  readonly value: string
}

/** How to read a column of a CSV file; null: DuckDB changes no value of its type. */
export function exactCsvColumn({ name, type }: Column, file: Omit<Source, 'reader'>): Exact | null {
  const column = quoteName(name)
  const loses = isDouble(type) ? losesDigits(column) : losesTime(column, type)
  if (loses === null) return null
  const source = { ...file, reader: 'read_csv' } as const
  return exact({ name, type }, { readAs: 'VARCHAR', lost: lostText(column, loses), source })
}

/** How to read a column of a JSON file; null: it has no doubles, at no depth. */
export function exactJsonColumn({ name, type }: Column, file: Omit<Source, 'reader'>): Exact | null {
  const lost = lostIn(type, quoteName(name), 0)
  if (lost === null) return null
  return exact({ name, type }, { readAs: textIn(type), lost, source: { ...file, reader: 'read_json' } })
}

function exact(
  { name, type }: Column,
  { readAs, lost, source }: { readonly readAs: string; readonly lost: string; readonly source: Source },
): Exact {
  const column = quoteName(name)
  const message = lossOf({ name, type }, source)
  const failed = `error(${quoteText(message)} || ${lost})`
  const value = `case when ${lost} is not null then ${failed} else cast(${column} as ${type}) end as ${column}`
  return { readAs, lost, message, value }
}

/** The type of a column in whose place its texts are read. */
function textIn(type: DuckDBType): string {
  if (isDouble(type)) return 'JSON'
  const inner = innerOf(type)
  if (inner === null) return type.toString()
  if (inner.kind === 'list') return `${textIn(inner.of)}[]`
  if (inner.kind === 'map') return `MAP(${inner.key}, ${textIn(inner.of)})`
  return `STRUCT(${inner.fields.map(({ name, type: field }) => `${quoteName(name)} ${textIn(field)}`).join(', ')})`
}

/** SQL for the first text within `value` that would be changed; null where none could. `depth` keeps the names of nested lambdas apart. */
function lostIn(type: DuckDBType, value: string, depth: number): string | null {
  if (isDouble(type)) return lostText(`${value}::varchar`, losesDigits(`${value}::varchar`))
  const inner = innerOf(type)
  if (inner === null) return null
  if (inner.kind === 'struct') {
    const lost = inner.fields.flatMap(
      ({ name, type: field }) => lostIn(field, `(${value}).${quoteName(name)}`, depth) ?? [],
    )
    return lost.length === 0 ? null : `coalesce(${lost.join(', ')})`
  }
  const one = `x${depth}`
  const lost = lostIn(inner.of, one, depth + 1)
  const list = inner.kind === 'map' ? `map_values(${value})` : value
  return lost === null
    ? null
    : `list_filter(list_transform(${list}, lambda ${one}: ${lost}), lambda ${one}: ${one} is not null)[1]`
}

type Inner =
  | { readonly kind: 'list'; readonly of: DuckDBType }
  | { readonly kind: 'map'; readonly key: string; readonly of: DuckDBType }
  | { readonly kind: 'struct'; readonly fields: readonly Column[] }

/** What DuckDB guesses inside of objects and lists of JSON. */
function innerOf(type: DuckDBType): Inner | null {
  if ('keyType' in type && 'valueType' in type)
    return { kind: 'map', key: type.keyType.toString(), of: type.valueType }
  if ('valueType' in type) return { kind: 'list', of: type.valueType }
  if (!('entryNames' in type) || !('entryTypes' in type)) return null
  const { entryNames, entryTypes } = type
  return {
    kind: 'struct',
    fields: entryNames.flatMap((name, at) => {
      const field = entryTypes[at]
      return field === undefined ? [] : [{ name, type: field }]
    }),
  }
}

const lostText = (text: string, loses: string) => `case when ${loses} then ${text} end`

/**
 * Whether a text is a number that a double would change, or that is infinite in it: beyond 2^53 its digits have to come out again, as
 * everywhere. The cheap questions come first.
 */
function losesDigits(text: string): string {
  const double = `try_cast(${text} as double)`
  return `((length(${text}) > 15 or contains(lower(${text}), 'e')) and regexp_full_match(${text}, '[-+]?[0-9.]+([eE][-+]?[0-9]+)?')
      and abs(${double}) > ${Number.MAX_SAFE_INTEGER} and (isinf(${double}) or ${digitsOf(text)} <> ${digitsOf(`cast(${double} as varchar)`)}))`
}

/** The digits of a number without sign, point, exponent and the zeros around them. */
const digitsOf = (text: string) =>
  `rtrim(ltrim(replace(regexp_replace(${text}, '[eE].*', ''), '.', ''), '+-0'), '0')`

const isDouble = (type: DuckDBType) => type.toString() === 'DOUBLE'

/**
 * Whether a text is a time that DuckDB would change: it cuts what is finer than a microsecond, and leaves out the offset of a time that it takes
 * for one without a zone. Null: the type is none of a time.
 */
function losesTime(text: string, type: DuckDBType): string | null {
  const finer = `regexp_matches(${text}, '[.][0-9]{6}0*[1-9]')`
  switch (type.toString()) {
    case 'TIMESTAMP WITH TIME ZONE':
      return finer
    case 'TIMESTAMP':
    case 'TIME':
      return `(${finer} or regexp_matches(${text}, ':[0-9.]+ *([Zz]|[-+][0-9:]+) *$'))`
    default:
      return null
  }
}

/** The text of what is wrong with a column, up to the value. */
function lossOf({ name: column, type }: Column, { name, file, reader }: Source): string {
  const named =
    reader === 'read_csv'
      ? `read_csv($${name}, types = {${quoteText(column)}: 'VARCHAR'})`
      : `read_json($${name}, columns = {${quoteText(column)}: 'VARCHAR'})`
  const what = type.toString().startsWith('TIME') ? 'time' : 'number'
  return `${name}: column ${column} of ${file} was taken for ${type}, which would change a ${what} in it. Name its type in the query, as in ${named}. The ${what}: `
}
