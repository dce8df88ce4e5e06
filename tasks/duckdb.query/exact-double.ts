import { quoteName, quoteText } from './quote'

/** A file, the name by which a query can read it with options, and what reads it. */
type Source = { readonly name: string; readonly file: string; readonly reader: 'read_csv' | 'read_json' }

/** A column that was read as text, as DOUBLE; the query fails in the moment in which it reads a number that no double holds. */
export function exactDouble(column: string, source: Source): string {
  const name = quoteName(column)
  return `case when ${losesDigits(name)} then error(${quoteText(lossOf(column, source))} || ${name}) else cast(${name} as double) end as ${name}`
}

/** Whether a column has the text of a whole number that a double would change, or of one that is infinite in it. The cheap questions come first. */
export function losesDigits(name: string): string {
  return `(length(${name}) > 15 and not contains(${name}, '.') and regexp_full_match(${name}, '[-+]?[0-9]+')
      and coalesce(try_cast(${name} as hugeint) <> try_cast(cast(${name} as double) as hugeint), true)
    or isinf(try_cast(${name} as double)) and regexp_full_match(${name}, '[-+]?[0-9.]+([eE][-+]?[0-9]+)?'))`
}

export function lossOf(column: string, { name, file, reader }: Source): string {
  const named =
    reader === 'read_csv'
      ? `read_csv($${name}, types = {${quoteText(column)}: 'VARCHAR'})`
      : `read_json($${name}, columns = {${quoteText(column)}: 'VARCHAR'})`
  return `${name}: column ${column} of ${file} was taken for DOUBLE, which would change a number in it. Name its type in the query, as in ${named}. The number: `
}
