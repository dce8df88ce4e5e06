import type { Json } from '@/core/engine/event'
import { isDeeper } from '@/core/pipeline/json'
import { findTextFault, withNumbersAsText } from '@/core/pipeline/json-text'
import { MOST_LEVELS } from '@/tasks/support/outputs'
import { TaskFailure } from '@/tasks/support/task-failure'
import { charsetOf, decodeStart, decodeText } from './text'

const EXCERPT_BYTES = 200

/** What becomes of numbers that a double cannot hold: the answer is refused, or they become text, as they are written. */
export type LargeNumbers = 'refuse' | 'text'

/**
 * The JSON of an answer. It is UTF-8 whatever its content type says (RFC 8259), unless that makes no sense: then it is in the charset
 * that the content type names.
 * @throws TaskFailure when it is no JSON, is nested too deep to be worked with, or says what its value would not
 */
export function readJson(
  bytes: Buffer,
  { media, contentType, largeNumbers }: { media: string; contentType: string; largeNumbers: LargeNumbers },
): Json {
  const charset = charsetOf(contentType)
  for (const encoding of ['utf-8', charset]) {
    const text = encoding === null ? null : decodeText(bytes, encoding)
    const parsed = text === null ? null : parse(text)
    if (parsed === null) continue
    const why = faultOf(parsed, largeNumbers)
    if (why === null) return largeNumbers === 'text' ? withLargeAsText(parsed) : parsed.value
    throw new TaskFailure('task_failed', `the JSON of the answer cannot be taken: ${why}`)
  }
  throw new TaskFailure('task_failed', `the answer is of type ${media}, but it is no JSON`, {
    body: decodeStart(bytes.subarray(0, EXCERPT_BYTES), charset),
  })
}

type Parsed = { readonly text: string; readonly value: Json }

function withLargeAsText({ text, value }: Parsed): Json {
  const changed = withNumbersAsText(text)
  return changed === text ? value : (JSON.parse(changed) as Json)
}

function faultOf({ text, value }: Parsed, largeNumbers: LargeNumbers): string | null {
  if (isDeeper(value, MOST_LEVELS)) return `it is nested deeper than ${MOST_LEVELS} levels`
  const fault = findTextFault(text, largeNumbers === 'text' ? () => {} : undefined)
  if (fault === null) return null
  const hint = fault.kind === 'duplicate_key' ? '' : ' (large_numbers: text gives such numbers as text)'
  return `line ${fault.line}, column ${fault.column}: ${fault.message}${hint}`
}

function parse(text: string): Parsed | null {
  try {
    return { text, value: JSON.parse(text) as Json }
  } catch {
    return null
  }
}
