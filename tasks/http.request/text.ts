import { getBOMEncoding, normalizeEncoding, TextDecoder } from '@exodus/bytes/encoding.js'

/** The charset that a content type names; null when it names none. */
export function charsetOf(contentType: string): string | null {
  const [, quoted, plain] = /;\s*charset\s*=\s*(?:"([^"]*)"|'?([^\s;"']+))/i.exec(contentType) ?? []
  return quoted ?? plain ?? null
}

const FIRST_BYTES = 1024

/**
 * The charset that a text names in its first kilobyte, where its content type names none: a page in a meta tag, XML in its declaration.
 * Null: none, or none that is known. Bytes that say it in this way are not in UTF-16.
 */
export function declaredCharset(bytes: Uint8Array, media: string): string | null {
  const start = Buffer.from(bytes.subarray(0, FIRST_BYTES)).toString('latin1')
  const name =
    media === 'text/html'
      ? inMetaTag(start.replace(/<!--[^]*?-->/g, ''))
      : /[/+]xml$/.test(media)
        ? /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']+)/.exec(start)?.[1]
        : undefined
  const encoding = name === undefined ? null : knownEncoding(name)
  return encoding?.startsWith('utf-16') === true ? 'utf-8' : encoding
}

function inMetaTag(html: string): string | undefined {
  for (const [tag] of html.matchAll(/<meta\s[^>]*>/gi)) {
    const name = /charset\s*=\s*["']?\s*([^\s"';/>]+)/i.exec(tag)?.[1]
    if (name !== undefined) return name
  }
  return undefined
}

/**
 * Bytes as text, by the WHATWG Encoding standard: every charset and name that browsers know, and a byte order mark outranks what the
 * content type says. Null: the charset is not known, or the bytes are no such text.
 */
export function decodeText(bytes: Uint8Array, charset: string): string | null {
  const encoding = getBOMEncoding(bytes) ?? knownEncoding(charset)
  if (encoding === null) return null
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** The beginning of a text for the eyes of people: what cannot be read is marked, a character that was cut in two left out. */
export function decodeStart(bytes: Uint8Array, charset: string | null): string {
  const encoding = getBOMEncoding(bytes) ?? knownEncoding(charset ?? 'utf-8') ?? 'utf-8'
  return new TextDecoder(encoding).decode(bytes, { stream: true })
}

/** `replacement` stands for charsets that browsers refuse to read. */
function knownEncoding(label: string): string | null {
  const encoding = normalizeEncoding(label)
  return encoding === 'replacement' ? null : encoding
}
