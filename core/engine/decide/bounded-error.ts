import type { NodeError } from '@/core/engine/event'
import { LIMITS } from '@/core/engine/event'
import { jsonBytes } from '@/core/engine/json-bytes'
import { cutText } from '@/core/pipeline/cut-text'

/** An error as an event can carry it: a task may say anything, at any length. What is cut off is said. */
export function boundedError({ kind, message, detail }: NodeError): NodeError {
  const most = LIMITS.textLength
  const cut =
    message.length > most ? `${cutText(message, most)}… (${message.length - most} more characters)` : message
  if (detail === undefined) return { kind: kind.slice(0, 100), message: cut }
  const large = jsonBytes(detail, LIMITS.errorDetailBytes) > LIMITS.errorDetailBytes
  return {
    kind: kind.slice(0, 100),
    message: cut,
    detail: large ? `left out: more than ${LIMITS.errorDetailBytes} bytes` : detail,
  }
}
