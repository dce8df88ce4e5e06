/** Headers that belong to the connection or are worked out from the rest: nobody may set them. */
const ofTheConnection: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * What is wrong with a header of a request, in one sentence, or null: the name is a token, the value has no line break and no
 * other control character and only characters that a header can carry, and it is none of those that belong to the connection.
 */
export function headerProblem(name: string, value: string): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/.test(name)) {
    return `${JSON.stringify(name.slice(0, 80))} is not the name of a header`
  }
  const lower = name.toLowerCase()
  if (ofTheConnection.has(lower) || lower.startsWith('proxy-')) {
    return `the header ${name} belongs to the connection and cannot be set`
  }
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
    return `the header ${name} has a character that a header cannot carry, such as a line break`
  }
  return value.length > 16_384 ? `the header ${name} is longer than 16384 characters` : null
}
