/** Headers as the network library gives them: each byte of a value is one character. */
type RawHeaders = Readonly<Record<string, string | string[] | undefined>>

/**
 * The headers of an answer. Set-Cookie stays apart: its values have commas of their own (`Expires=Wed, 21 Oct …`), so that nobody could
 * split what was joined.
 */
export function readAnswerHeaders(raw: RawHeaders): {
  headers: Map<string, string>
  setCookies: readonly string[]
} {
  const headers = new Map<string, string>()
  let setCookies: readonly string[] = []
  for (const [name, value = ''] of Object.entries(raw)) {
    const values = (Array.isArray(value) ? value : [value]).map(readText)
    if (name === 'set-cookie') setCookies = values
    else headers.set(name, values.join(', '))
  }
  return { headers, setCookies }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Text that is UTF-8 is read as UTF-8, as addresses in Location are written by many; else each byte is a character (RFC 9110, 5.5). */
function readText(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value
  try {
    return utf8.decode(Buffer.from(value, 'latin1'))
  } catch {
    return value
  }
}
