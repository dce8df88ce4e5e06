import { TaskFailure } from './task-failure'

/** Bytes of the whole path and of one part. */
const MAX_LENGTH = 500
const MAX_PART = 255

/**
 * A path below some folder: relative, with `/` between its parts, no part empty, `.` or `..`, no backslash, no colon
 * and no control character, at most 500 bytes and 255 a part. Returns it unchanged or throws `invalid_input` with the reason.
 * Whoever opens the file still has to refuse symbolic links: this looks at the words only.
 */
export function checkRelativePath(path: unknown, what: string): string {
  if (typeof path !== 'string' || path === '') {
    throw new TaskFailure('invalid_input', `${what} must be a relative path`)
  }
  const refuse = (why: string) => {
    throw new TaskFailure('invalid_input', `${what} ${JSON.stringify(path.slice(0, MAX_LENGTH))} ${why}`)
  }
  if (Buffer.byteLength(path) > MAX_LENGTH) refuse(`is longer than ${MAX_LENGTH} bytes`)
  // A lone surrogate would be written to disk as another name than the one that was checked.
  if (/\p{Surrogate}/u.test(path)) refuse('is not well-formed text')
  for (const character of path) {
    const code = character.codePointAt(0) ?? 0
    if (code < 32 || code === 127) refuse('contains a control character')
  }
  if (/[\\:]/.test(path)) refuse('contains a backslash or a colon')
  if (path.startsWith('/')) refuse('is absolute')
  for (const part of path.split('/')) {
    if (part === '') refuse('has an empty part')
    if (part === '.' || part === '..') refuse('has a part that is only dots')
    if (Buffer.byteLength(part) > MAX_PART) refuse(`has a part longer than ${MAX_PART} bytes`)
  }
  return path
}
