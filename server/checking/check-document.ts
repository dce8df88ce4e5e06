import { createHash } from 'node:crypto'
import { canonicalJson } from '@/core/pipeline/canonical'
import { checkDefinition } from '@/core/pipeline/check/check'
import type { Issue } from '@/core/pipeline/issue'
import type { Json } from '@/core/pipeline/json'
import { parseYaml } from '@/core/pipeline/yaml/yaml'
import type { CheckedDocument, DefinitionDocument } from '@/server/ports/definition-check'
import { taskCatalog } from '@/tasks/contracts'

export type CheckSettings = {
  readonly maxNodes: number
  /** Types that are switched off, each with the setting that turns it on. */
  readonly disabledTasks: ReadonlyMap<string, string>
}

/** Reads a document (JSON as it is, YAML by the language's bounded parser) and checks it. Runs and fetches nothing. */
export function checkDocument(
  { definition, yaml }: DefinitionDocument,
  { maxNodes, disabledTasks }: CheckSettings,
): CheckedDocument {
  const parsed = yaml === undefined ? null : parseYaml(yaml)
  if (parsed !== null && !parsed.ok) return { ok: false, issues: parsed.error.map(issueOf) }
  const value = parsed === null ? definition : parsed.value
  const verdict = checkDefinition(value, { tasks: taskCatalog, maxNodes, disabledTasks })
  const digest = createHash('sha256')
    .update(canonicalJson(value as Json))
    .digest('hex')
  return { ok: true, value, verdict, digest }
}

function issueOf({ message, line, column }: { message: string; line?: number; column?: number }): Issue {
  const place = line === undefined ? '' : `line ${line}${column === undefined ? '' : `, column ${column}`}: `
  return { path: [], code: 'invalid_yaml', message: `${place}${message}`, severity: 'error' }
}
