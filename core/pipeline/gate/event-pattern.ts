/**
 * Whether `*` in a pattern of event types can stand for exactly one segment of the type each, and all else is equal. Both are
 * given in segments, so that who asks often splits once.
 */
export function matchesSegments(pattern: readonly string[], type: readonly string[]): boolean {
  return (
    pattern.length === type.length &&
    pattern.every((part, at) => (part === '*' ? type[at] !== '' : part === type[at]))
  )
}
