import type { Path } from '@/core/pipeline/json-edits'

/** Marks an element as the field of a path of the definition, so that a problem can lead to it. */
export const fieldMark = (path: Path) => ({ 'data-field': JSON.stringify(path) })

/** Marks an element as a collapsed part of a form that holds the fields below these paths. */
export const foldMark = (paths: readonly Path[]) => ({ 'data-fields': JSON.stringify(paths) })

/** The place of the mark that is nearest around a path, or at it; -1: none is around it. */
export function nearestMark(marks: readonly Path[], path: Path): number {
  const within = (mark: Path) =>
    mark.length <= path.length && mark.every((part, at) => String(part) === String(path[at]))
  return marks.reduce(
    (best, mark, at) => (within(mark) && mark.length > (marks[best]?.length ?? -1) ? at : best),
    -1,
  )
}
