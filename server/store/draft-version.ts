/**
 * The version of a save: after that before, and for a new draft the instant. A tab that saw a draft which was removed and
 * begun again meanwhile does not take the new one for its own.
 */
export function draftVersion(before: number | null, updatedAt: number): number {
  return Math.max((before ?? 0) + 1, updatedAt)
}
