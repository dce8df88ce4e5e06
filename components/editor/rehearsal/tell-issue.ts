import type { Issue } from '@/core/pipeline/issue'

/** An issue of a plan or a case, with its place, in a line. */
export function tellIssue({ path, message, hint }: Pick<Issue, 'path' | 'message' | 'hint'>): string {
  const text = hint === undefined ? message : `${message} (${hint})`
  return path.length === 0 ? text : `${path.join(' · ')}: ${text}`
}
