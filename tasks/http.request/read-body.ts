import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { LIMITS, type Json } from '@/core/engine/event'
import type { EgressResponse } from '@/server/ports/egress'
import type { ProducedFile } from '@/server/ports/runner'
import { isContentType } from '@/tasks/support/content-type'
import { TaskFailure } from '@/tasks/support/task-failure'

/**
 * The body as an output: parsed JSON where the answer says so, text where it is text, null when there is none. What is
 * binary, or larger than an output may be, becomes a file of the attempt and so an artifact.
 */
export async function readBody(answer: EgressResponse, workDir: string): Promise<Json | ProducedFile> {
  const type = answer.headers.get('content-type') ?? ''
  const media = (/^[^;]*/.exec(type)?.[0] ?? '').trim().toLowerCase()
  const { start, whole } = await readStart(answer.body, LIMITS.inlineVariableBytes)
  if (whole && start.length === 0) return null
  if (whole) {
    const value = valueOf(start, media, type)
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

/** At most `bytes` of a body as text, for the eyes of people; the rest is not waited for. */
export async function readExcerpt(body: Readable, bytes: number): Promise<string> {
  const { start } = await readStart(body, bytes - 1)
  body.destroy()
  const text = start.subarray(0, bytes).toString()
  // A character that was cut in two is left out.
  return start.length >= bytes ? text.replace(/\uFFFD$/, '') : text
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
function valueOf(bytes: Buffer, media: string, type: string): Json | undefined {
  if (media === 'application/json' || media.endsWith('+json')) {
    try {
      return JSON.parse(bytes.toString()) as Json
    } catch {
      throw new TaskFailure('task_failed', `the answer is of type ${media}, but it is no JSON`, {
        body: bytes.subarray(0, 200).toString(),
      })
    }
  }
  const said = /charset="?([A-Za-z0-9_-]{1,40})/i.exec(type)?.[1]
  const isText =
    media.startsWith('text/') ||
    media.endsWith('+xml') ||
    said !== undefined ||
    [
      '',
      'application/xml',
      'application/yaml',
      'application/x-www-form-urlencoded',
      'application/javascript',
    ].includes(media)
  if (!isText) return undefined
  try {
    return new TextDecoder(said ?? 'utf-8', { fatal: true }).decode(bytes)
  } catch {
    // Not the text that it says it is, or in an alphabet that is not known: it stays as it came.
    return undefined
  }
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
