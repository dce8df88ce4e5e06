import type { IncomingMessage } from 'node:http'
import { findTextFault, inFull } from '@/core/pipeline/json-text'
import { DomainError } from '@/server/operations/domain-error'

/** Most bytes of a request body: 1 MB, 5 MB for definitions. */
export const bodyLimits = { fields: 1_000_000, definition: 5_000_000 } as const

/** Deepest nesting of arrays and objects in a body: what reads it later may recurse. */
const deepest = 100

/**
 * The content type of a request without its parameters, or null when it has none.
 * @throws DomainError `unsupported_media_type` for another charset than UTF-8 and for compressed bodies.
 */
export function contentType(request: IncomingMessage): string | null {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw new DomainError('unsupported_media_type', 'Send the body without content encoding.')
  }
  const header = request.headers['content-type']
  if (header === undefined) return null
  const match = /^\s*([a-z0-9.+-]+\/[a-z0-9.+-]+)\s*(?:;\s*charset=(?:utf-8|"utf-8"))?\s*$/i.exec(header)
  if (!match?.[1])
    throw new DomainError('unsupported_media_type', 'Send the body as application/json in UTF-8.')
  return match[1].toLowerCase()
}

/**
 * Reads the whole body as text.
 * @throws DomainError `too_large` past `limit` bytes, `malformed` when it is not UTF-8 or ends early.
 */
export async function readText(request: IncomingMessage, limit: number): Promise<string> {
  return decodeText(await readBytes(request, limit))
}

/**
 * Reads the whole body as it came.
 * @throws DomainError `too_large` past `limit` bytes, `malformed` when it ends early.
 */
export async function readBytes(request: IncomingMessage, limit: number): Promise<Uint8Array> {
  const tooLarge = () =>
    new DomainError('too_large', `The body is larger than ${limit} bytes, the most that is taken here.`)
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > limit) break
      chunks.push(chunk)
    }
  } catch {
    throw new DomainError('malformed', 'The body ended before it was complete.')
  }
  if (size > limit) throw tooLarge()
  return Buffer.concat(chunks, size)
}

/** @throws DomainError `malformed` when the bytes are not UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new DomainError('malformed', 'The body is not valid UTF-8.')
  }
}

/**
 * Parses JSON from outside.
 * @throws DomainError `malformed` for broken JSON, for nesting past 100 levels, for a key `__proto__`, and with the place for a key that is
 *   written twice and a number that is infinite.
 */
export function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new DomainError(
      'malformed',
      `The body is not valid JSON: ${error instanceof Error ? error.message.slice(0, 200) : 'it cannot be read'}.`,
    )
  }
  const pending: { value: unknown; depth: number }[] = [{ value, depth: 0 }]
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.value === null || typeof next.value !== 'object') continue
    if (next.depth >= deepest)
      throw new DomainError('malformed', `The body nests deeper than ${deepest} levels.`)
    for (const key of Object.keys(next.value)) {
      if (key === '__proto__') throw new DomainError('malformed', 'The key "__proto__" is not allowed.')
      pending.push({ value: (next.value as Record<string, unknown>)[key], depth: next.depth + 1 })
    }
  }
  const fault = findTextFault(text)
  if (fault === null) return value
  const { kind, path, line, column } = fault
  const message = inFull(fault)
  throw new DomainError(
    'malformed',
    `The body cannot be taken: line ${line}, column ${column}: ${message}.`,
    [{ path: [...path], code: kind, message }],
  )
}
