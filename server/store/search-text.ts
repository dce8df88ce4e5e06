import type { ExecutionRow } from '@/server/ports/journal'

/** What a search of pipelines or runs looks through, and how its words are made to fit: lower case, one part a line. */
export function searchTextOf(...parts: readonly (string | null)[]): string {
  return parts
    .filter((part) => part !== null)
    .join('\n')
    .toLowerCase()
}

/** Of an error: its beginning says what happened. */
const LONGEST_ERROR = 500

export function textOfExecution(row: ExecutionRow): string {
  return searchTextOf(
    row.executionId,
    row.pipelineId,
    row.requestedBy,
    ...Object.entries(row.labels).map(([key, value]) => `${key}:${value}`),
    ...Object.entries(row.inputs ?? {}).map(([name, value]) => `${name}: ${value}`),
    row.error === null ? null : `${row.error.kind} ${row.error.message}`.slice(0, LONGEST_ERROR),
  )
}

/** The words of a search: each has to stand in the text. */
export const wordsOf = (search: string): readonly string[] =>
  searchTextOf(search).split(/\s+/).filter(Boolean)
