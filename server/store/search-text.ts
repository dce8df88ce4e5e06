/** What a search of pipelines looks through, and how its words are made to fit: lower case, one part a line. */
export function searchTextOf(...parts: readonly (string | null)[]): string {
  return parts
    .filter((part) => part !== null)
    .join('\n')
    .toLowerCase()
}
