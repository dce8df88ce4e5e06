import type { z } from 'zod'

/** The first thing that is wrong with a stored value: where in it, and what. */
export function faultOf([issue]: readonly z.core.$ZodIssue[]): string {
  if (issue === undefined) return 'it does not fit its schema'
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`
}
