/** Something wrong with a definition, at a place in it. The wire shape of API errors (`issues`). */
export type Issue = {
  path: (string | number)[]
  code: string
  message: string
  hint?: string
  severity: 'error' | 'warning'
}

/** Adds all; a spread into `push` would overflow the stack for a document with a hundred thousand mistakes. */
export function append(issues: Issue[], more: Iterable<Issue>): void {
  for (const issue of more) issues.push(issue)
}
