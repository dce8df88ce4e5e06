import type { Issue } from '@/core/pipeline/issue'
import { isRecord } from '@/core/pipeline/json'

/**
 * Fields that the schema knows and nothing acts on yet. They are refused, never ignored: a pipeline must not seem to
 * retry. Whoever builds one removes its row.
 */
const nodeFields: Readonly<Record<string, string>> = {
  workspace: 'workspaces are',
  rollback: 'rollback is',
  breaker: 'breakers are',
}

const policyFields: Readonly<Record<string, string>> = {
  rollback: 'policy.rollback is',
}

function found(value: unknown, fields: Readonly<Record<string, string>>, path: (string | number)[]): Issue[] {
  if (!isRecord(value)) return []
  const issues: Issue[] = []
  for (const field of Object.keys(value)) {
    if (!Object.hasOwn(fields, field) || value[field] === undefined) continue
    issues.push({
      path: [...path, field],
      code: 'not_supported_yet',
      message: `${fields[field]} not supported yet`,
      hint: `remove ${field}`,
      severity: 'error',
    })
  }
  return issues
}

/** Issues of everything in a node that is not built yet; `path` is where the node stands. */
export function unsupportedInNode(node: unknown, path: (string | number)[]): Issue[] {
  const issues = found(node, nodeFields, path)
  // Scheduling does not look at it yet; the one that does is a strategy of retries.
  if (!(isRecord(node) && isRecord(node.retry) && node.retry.strategy === 'risk-adaptive'))
    issues.push(...found(node, { risk: "risk without retry.strategy 'risk-adaptive' is" }, path))
  return issues
}

/** Issues of everything around the nodes that is not built yet. */
export function unsupportedInPipeline(definition: unknown): Issue[] {
  if (!isRecord(definition)) return []
  return found(definition.policy, policyFields, ['policy'])
}
