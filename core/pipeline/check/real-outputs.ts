import type { Issue } from '@/core/pipeline/issue'

/** The advice of an expression that names a node alone: what nodes there are, and what they give, the parser does not know. */
const general = /^write ([a-z][a-z0-9_]*)\.output(?=[,;])/

/** Outputs that are named. */
const NAMED = 4

/** The same issue, with the outputs that the node really has where its advice only says `node.output`. */
export function withRealOutputs(
  issue: Issue,
  outputsOf: (node: string) => readonly string[] | undefined,
): Issue {
  const node = general.exec(issue.hint ?? '')?.[1]
  const outputs = node === undefined ? undefined : outputsOf(node)
  if (node === undefined || issue.hint === undefined || outputs === undefined) return issue
  if (outputs.length === 0) return { ...issue, hint: `'${node}' is a node without outputs` }
  const named = outputs.slice(0, NAMED).map((name) => `${node}.${name}`)
  const last = named.pop()!
  const write = named.length === 0 ? last : `${named.join(', ')} or ${last}`
  return { ...issue, hint: issue.hint.replace(general, `write ${write}`) }
}
