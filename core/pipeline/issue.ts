/** The value at a path that fixes what is wrong, where one is obvious. */
export type Fix = { path: (string | number)[]; value: string }

/** Something wrong with a definition, at a path in it. The wire shape of API errors (`issues`). */
export type Issue = {
  path: (string | number)[]
  code: string
  message: string
  hint?: string
  severity: 'error' | 'warning'
  fix?: Fix
  /** The nodes that it is about, where they are several: those of a cycle, in its order. */
  nodes?: string[]
}

type Make = (path: (string | number)[], code: string, message: string, hint?: string) => Issue

const make =
  (severity: Issue['severity']): Make =>
  (path, code, message, hint) =>
    hint === undefined ? { path, code, message, severity } : { path, code, message, hint, severity }

export const error = make('error')
export const warning = make('warning')

/** Adds all; a spread into `push` would overflow the stack for a document with a hundred thousand mistakes. */
export function append(issues: Issue[], more: Iterable<Issue>): void {
  for (const issue of more) issues.push(issue)
}

/** The issue of a part as an issue of the whole, in which the part has the path `at`. */
export function issueAt(at: readonly (string | number)[], issue: Issue): Issue {
  const { path, fix } = issue
  return {
    ...issue,
    path: [...at, ...path],
    ...(fix === undefined ? {} : { fix: { ...fix, path: [...at, ...fix.path] } }),
  }
}

/** The issue with the value that fixes it, where there is one. */
export function withFix(issue: Issue, value: string | null | undefined, path = issue.path): Issue {
  return value === null || value === undefined ? issue : { ...issue, fix: { path, value } }
}
