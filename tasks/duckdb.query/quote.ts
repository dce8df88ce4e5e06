/** A text as a literal of SQL. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** A name as an identifier of SQL. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
