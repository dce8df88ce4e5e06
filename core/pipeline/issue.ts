/** Something wrong with a definition, at a place in it. The wire shape of API errors (`issues`). */
export type Issue = {
  path: (string | number)[]
  code: string
  message: string
  hint?: string
  severity: 'error' | 'warning'
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
