import type { Json } from '@/core/engine/event'
import { isDeeper } from '@/core/pipeline/json'
import { MOST_LEVELS } from '@/tasks/support/outputs'
import { TaskFailure } from '@/tasks/support/task-failure'
import { charsetOf, decodeStart, decodeText } from './text'

const EXCERPT_BYTES = 200

/**
 * The JSON of an answer. It is UTF-8 whatever its content type says (RFC 8259), unless that makes no sense: then it is in the charset
 * that the content type names.
 * @throws TaskFailure when it is no JSON, or nested too deep to be worked with
 */
export function readJson(bytes: Buffer, media: string, contentType: string): Json {
  const charset = charsetOf(contentType)
  for (const encoding of ['utf-8', charset]) {
    const text = encoding === null ? null : decodeText(bytes, encoding)
    const parsed = text === null ? null : parse(text)
    if (parsed === null) continue
    if (!isDeeper(parsed.value, MOST_LEVELS)) return parsed.value
    throw new TaskFailure('task_failed', `the JSON of the answer is nested deeper than ${MOST_LEVELS} levels`)
  }
  throw new TaskFailure('task_failed', `the answer is of type ${media}, but it is no JSON`, {
    body: decodeStart(bytes.subarray(0, EXCERPT_BYTES), charset),
  })
}

function parse(text: string): { readonly value: Json } | null {
  try {
    return { value: JSON.parse(text) as Json }
  } catch {
    return null
  }
}
