import { pipeline } from 'node:stream/promises'
import { DomainError } from '@/server/operations/domain-error'
import { parseRequest } from '@/server/operations/operation'
import { artifactContent, readArtifact } from '@/server/operations/read-artifact'
import type { Exchange } from './route'

/** Types that a browser may show in place. Everything else is a download. */
const shown = new Set([
  'text/html',
  'image/svg+xml',
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'text/plain',
  'text/csv',
  'application/json',
])

/**
 * The content of an artifact. Whatever a run wrote, it is shown in a sandbox without scripts, without our origin and without
 * the network, and its type is never guessed; one range of bytes may be asked for.
 */
export async function sendArtifact({ ctx, request, response, fields }: Exchange): Promise<void> {
  const { row, open } = await readArtifact(ctx, parseRequest(artifactContent.request, fields))
  // Parameters are ours to choose: a run could name a charset in which harmless bytes become markup.
  const named = row.contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(named) ? named : 'application/octet-stream'
  const headers: Record<string, string> = {
    'content-type': /^text\/|\+xml$|\/json$/.test(type) ? `${type}; charset=utf-8` : type,
    'content-disposition': `${shown.has(type) ? 'inline' : 'attachment'}; ${fileName(row.name)}`,
    'content-security-policy':
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'self'",
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'cache-control': 'private, no-cache',
    'accept-ranges': 'bytes',
    etag: `"${row.digest}"`,
  }
  if (request.headers['if-none-match'] === headers['etag']) {
    response.writeHead(304, headers).end()
    return
  }
  const range = rangeOf(request.headers.range, row.bytes)
  if (range === 'outside') {
    throw new DomainError(
      'range_not_satisfiable',
      `The artifact has ${row.bytes} bytes: that range lies outside.`,
    )
  }
  if (range) headers['content-range'] = `bytes ${range.start}-${range.end}/${row.bytes}`
  headers['content-length'] = String(range ? range.end - range.start + 1 : row.bytes)
  response.writeHead(range ? 206 : 200, headers)
  // A reader that goes away ends the file's stream with an error that is nobody's fault.
  await pipeline(open(range ?? undefined), response).catch(() => response.destroy())
}

/** One range of bytes, both ends inclusive; null: all of it (also for what we do not understand, as HTTP says). */
export function rangeOf(
  header: string | undefined,
  bytes: number,
): { start: number; end: number } | 'outside' | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return null
  if (match[1] === '') {
    const last = Number(match[2])
    if (last === 0 || bytes === 0) return 'outside'
    return { start: Math.max(0, bytes - last), end: bytes - 1 }
  }
  const start = Number(match[1])
  const end = match[2] === '' ? bytes - 1 : Math.min(Number(match[2]), bytes - 1)
  if (match[2] !== '' && Number(match[2]) < start) return null
  return start >= bytes ? 'outside' : { start, end }
}

/** The last part of the name for the reader's disk: plain ASCII, and the full one in its encoded form. */
function fileName(name: string): string {
  const base = name.split('/').at(-1) || 'artifact'
  const plain = base.replace(/[^A-Za-z0-9._ -]/g, '_')
  const encoded = encodeURIComponent(base).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `filename="${plain}"; filename*=UTF-8''${encoded}`
}
