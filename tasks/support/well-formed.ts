import { TaskFailure } from './task-failure'

/**
 * Text that is about to become bytes in UTF-8. Half of a character (a lone surrogate, as a text that was cut in its middle has) would become
 * U+FFFD in silence. @throws TaskFailure `invalid_input`
 */
export function wellFormed(text: string, what: string): string {
  const at = text.search(/\p{Surrogate}/u)
  if (at < 0) return text
  throw new TaskFailure(
    'invalid_input',
    `${what} has half of a character at position ${at + 1}, which no text in UTF-8 can hold`,
  )
}
