import { pipeline, Transform, type Readable, type TransformCallback } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import type { EgressFailure } from '@/server/ports/egress'
import { bodyFailure, egressFailure } from './egress-failure'

/** What `decoderOf` understands; sent as Accept-Encoding. */
export const ENCODINGS = 'gzip, br'

type BodyOptions = {
  readonly url: URL
  /** The header Content-Encoding; null: as it stands. */
  readonly encoding: string | null
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/**
 * The body as the caller reads it: decompressed, and failing past the limit. Both what comes over the wire and what it
 * becomes are counted, because a few bytes can grow into gigabytes and endless ones into none.
 */
export function readableBody(raw: Readable, { url, encoding, maxBytes, signal }: BodyOptions): Readable {
  const tooLarge = () =>
    egressFailure('output_too_large', `the answer of ${url.host} is larger than ${maxBytes} bytes`)
  const decoder = isPlain(encoding) ? [] : [createLimit(maxBytes, tooLarge), decoderOf(encoding, url)]
  const body = createLimit(maxBytes, tooLarge, (thrown) => {
    if (signal.aborted) return signal.reason instanceof Error ? signal.reason : thrown
    return bodyFailure(thrown, url)
  })
  pipeline([raw, ...decoder, body], () => undefined)
  return body
}

function isPlain(encoding: string | null): encoding is null {
  return encoding === null || ['', 'identity'].includes(encoding.trim().toLowerCase())
}

function decoderOf(encoding: string, url: URL): Transform {
  const name = encoding.trim().toLowerCase()
  if (name === 'gzip' || name === 'x-gzip') return createGunzip()
  if (name === 'br') return createBrotliDecompress()
  throw egressFailure(
    'unreachable',
    `the answer of ${url.host} is encoded as ${JSON.stringify(encoding.slice(0, 80))}, which was not asked for`,
  )
}

/** Lets at most `limit` bytes through; `say` turns the error with which it is destroyed into the caller's. */
function createLimit(
  limit: number,
  tooLarge: () => EgressFailure,
  say: (thrown: Error) => Error = (thrown) => thrown,
): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      bytes += chunk.length
      if (bytes > limit) done(tooLarge())
      else done(null, chunk)
    },
    destroy(error, done) {
      done(error === null ? null : say(error))
    },
  })
}
