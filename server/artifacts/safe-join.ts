import { lstatSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { ArtifactError } from './artifact-error'

const NAME_MAX = 1_024
const SEGMENT_MAX = 255

/**
 * The only way from a name to a path. `name` is a relative path with `/` between its segments; it is taken literally
 * (`%2e` is three characters), so nothing may decode it afterwards. `root` must exist; what `name` names need not.
 *
 * @returns an absolute path inside the real folder of `root`, none of whose parts below it is a link. Whoever opens it adds
 *   O_NOFOLLOW, so that a link put there in between is refused as well.
 * @throws ArtifactError `unsafe_name`
 */
export function safeJoin(root: string, name: string): string {
  const segments = segmentsOf(name)
  let path = realpathSync(root)
  const inside = path.endsWith(sep) ? path : path + sep
  for (const [at, segment] of segments.entries()) {
    path = join(path, segment)
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined) continue
    if (found.isSymbolicLink()) refuse(name, 'a link stands in it')
    if (at < segments.length - 1 && !found.isDirectory()) refuse(name, 'a part of it is not a folder')
  }
  if (!path.startsWith(inside)) refuse(name, 'it leaves its folder')
  return path
}

function segmentsOf(name: string): string[] {
  if (typeof name !== 'string' || name.length === 0) refuse(name, 'it is empty')
  if (name.length > NAME_MAX) refuse(name, `it is over ${NAME_MAX} characters`)
  // Controls (with NUL), backslash, and what can be no UTF-8 file name.
  if (hasControl(name) || name.includes('\\') || /\p{Surrogate}/u.test(name))
    refuse(name, 'a character cannot stand in it')
  const segments = name.split('/')
  for (const segment of segments) {
    if (segment === '' || segment === '.' || segment === '..') refuse(name, 'every part must be a name')
    if (Buffer.byteLength(segment) > SEGMENT_MAX) refuse(name, `a part is over ${SEGMENT_MAX} bytes`)
  }
  return segments
}

/** True when a control character (below space, or delete) stands in the text. */
export function hasControl(text: string): boolean {
  for (const character of text) {
    const code = character.charCodeAt(0)
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}

function refuse(name: string, reason: string): never {
  const shown = JSON.stringify(String(name).slice(0, 80))
  throw new ArtifactError('unsafe_name', `The file name ${shown} is refused: ${reason}.`)
}
