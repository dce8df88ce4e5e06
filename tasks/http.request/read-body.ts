import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { LIMITS, type Json } from '@/core/engine/event'
import type { EgressResponse } from '@/server/ports/egress'
import type { ProducedFile } from '@/server/ports/runner'
import { isContentType } from '@/tasks/support/content-type'
import { isEgressFailure } from './egress-failure'
import { readJson, type LargeNumbers } from './read-json'
import { charsetOf, decodeStart, decodeText, declaredCharset } from './text'

/** Besides `text/…` and `…+xml`. */
const TEXT_TYPES: readonly string[] = [
  '',
  'application/xml',
  'application/yaml',
  'application/x-www-form-urlencoded',
  'application/javascript',
]

/**
 * The body as an output: parsed JSON where the answer says so, text where it is text, null when there is none. What is
 * binary, or larger than an output may be, becomes a file of the attempt and so an artifact.
 */
export async function readBody(
  answer: EgressResponse,
  workDir: string,
  largeNumbers: LargeNumbers,
): Promise<Json | ProducedFile> {
  const type = answer.headers.get('content-type') ?? ''
  const media = (/^[^;]*/.exec(type)?.[0] ?? '').trim().toLowerCase()
  const { start, whole } = await readStart(answer.body, LIMITS.inlineVariableBytes)
  if (whole && start.length === 0) return null
  if (whole) {
    const value = valueOf(start, { media, contentType: type, largeNumbers })
    // A value of the shape of a file would be taken for one.
    if (value !== undefined && fits(value) && !looksLikeFile(value)) return value
  }
  const name = fileName(answer.url)
  const file = join(workDir, 'body')
  await pipeline(
    async function* () {
      yield start
      if (!whole) yield* answer.body
    },
    createWriteStream(file, { flags: 'wx' }),
  )
  return { $file: file, name, contentType: isContentType(media) ? media : 'application/octet-stream' }
}

/** At most `bytes` of a body as text, for the eyes of people; the rest is not waited for. What breaks off is given as far as it came. */
export async function readExcerpt({ headers, body }: EgressResponse, bytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk as Buffer)
      length += (chunk as Buffer).length
      if (length >= bytes) break
    }
  } catch (thrown) {
    // The status says more than that its text is incomplete.
    if (!isEgressFailure(thrown)) throw thrown
  }
  return decodeStart(Buffer.concat(chunks).subarray(0, bytes), charsetOf(headers.get('content-type') ?? ''))
}

/** Reads until more than `most` bytes have come, or all. The body can be read on. */
async function readStart(body: Readable, most: number): Promise<{ start: Buffer; whole: boolean }> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Buffer)
    bytes += (chunk as Buffer).length
    if (bytes > most) return { start: Buffer.concat(chunks), whole: false }
  }
  return { start: Buffer.concat(chunks), whole: true }
}

/** The value of a whole body, or undefined when it is binary. */
function valueOf(bytes: Buffer, as: Parameters<typeof readJson>[1]): Json | undefined {
  const { media, contentType } = as
  if (media === 'application/json' || media.endsWith('+json')) return readJson(bytes, as)
  const charset = charsetOf(contentType) ?? declaredCharset(bytes, media)
  const isText =
    media.startsWith('text/') || media.endsWith('+xml') || charset !== null || TEXT_TYPES.includes(media)
  // Not the text that it says it is, or in a charset that is not known: it stays as it came.
  return isText ? (decodeText(bytes, charset ?? 'utf-8') ?? undefined) : undefined
}

function fits(value: Json): boolean {
  return Buffer.byteLength(JSON.stringify(value)) <= LIMITS.inlineVariableBytes
}

function looksLikeFile(value: Json): boolean {
  return typeof value === 'object' && value !== null && '$file' in value
}

/** The last part of the path, as far as it is a harmless name. */
function fileName(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? ''
  const name = last.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 100)
  return /^\.*$/.test(name) ? 'body' : name
}
