import type { Issue } from '@/core/pipeline/issue'

/** An issue of a plan or a case with its path, in one line. */
export function issueText({ path, message, hint }: Pick<Issue, 'path' | 'message' | 'hint'>): string {
  const text = hint === undefined ? message : `${message} (${hint})`
  return path.length === 0 ? text : `${path.join(' · ')}: ${text}`
}
