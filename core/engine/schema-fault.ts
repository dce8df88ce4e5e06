import type { z } from 'zod'

/** The first thing that is wrong with a stored value: where in it, and what. */
export function faultOf(error: z.ZodError): string {
  const [issue] = error.issues
  if (issue === undefined) return error.message
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`
}
