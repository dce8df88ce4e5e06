import type { Issue } from '@/core/pipeline/issue'
import { isRecord } from '@/core/pipeline/json'

/**
 * Fields that the schema knows and nothing acts on yet. They are refused, never ignored: a pipeline must not seem to
 * retry. Whoever builds one removes its row.
 */
const nodeFields: Readonly<Record<string, string>> = {
  workspace: 'workspaces are',
  breaker: 'breakers are',
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
  return found(node, nodeFields, path)
}
