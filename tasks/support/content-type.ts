const BY_EXTENSION: ReadonlyMap<string, string> = new Map([
  ['csv', 'text/csv; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  ['html', 'text/html; charset=utf-8'],
  ['json', 'application/json'],
  ['md', 'text/markdown; charset=utf-8'],
  ['parquet', 'application/vnd.apache.parquet'],
  ['svg', 'image/svg+xml'],
  ['tsv', 'text/tab-separated-values; charset=utf-8'],
  ['txt', 'text/plain; charset=utf-8'],
  ['xml', 'application/xml'],
  ['yaml', 'application/yaml'],
  ['yml', 'application/yaml'],
])

/** The media type that a file name suggests; `text/plain` for one that suggests none. */
export function contentTypeOf(path: string): string {
  const extension = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase()
  return BY_EXTENSION.get(extension ?? '') ?? 'text/plain; charset=utf-8'
}

/** `type/subtype` with at most a charset: nothing that could break out of a header. */
export function isContentType(text: string): boolean {
  return (
    text.length <= 100 &&
    /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*(; ?charset=[a-z0-9-]+)?$/i.test(text)
  )
}
