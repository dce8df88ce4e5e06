import { idPattern, type PipelineDefinition } from '@/core/pipeline/definition/definition'
import { nodeNames } from '@/core/pipeline/diff/describe'
import { diffDefinitions, type DefinitionDiff } from '@/core/pipeline/diff/diff'
import { changeDocument, openDocument } from '@/core/pipeline/yaml/document'
import type { Issue } from '@/core/pipeline/issue'
import { isRecord } from '@/core/pipeline/json'
import { validateDefinition } from '@/core/pipeline/check/validate'
import { maxDocumentLength, parseYaml } from '@/core/pipeline/yaml/yaml'
import { taskCatalog } from '@/tasks/contracts'

/** What an import would do, worked out before anything is written. Pure. */
export type ImportPlan =
  | { readonly kind: 'blocked'; readonly issues: readonly Issue[] }
  | {
      readonly kind: 'new' | 'change'
      readonly id: string
      readonly name: string
      readonly nodes: number
      /** What it would change; null for a new pipeline. */
      readonly diff: DefinitionDiff | null
      /** The name of a node of either. */
      readonly names: (id: string) => string
      readonly warnings: readonly Issue[]
      readonly text: string
    }

const MOST_NODES = 10_000

const INVALID_ID =
  'The id must start with a lowercase letter and have up to 63 lowercase letters, digits and _.'

export const tooLarge = 'This is larger than 5 MB, the most that a definition may be. Nothing was imported.'

const blocked = (...issues: readonly Pick<Issue, 'code' | 'message'>[]): ImportPlan => ({
  kind: 'blocked',
  issues: issues.map((issue) => ({ path: [], severity: 'error', ...issue })),
})

/**
 * Plans the import of YAML or JSON from any source. `currentOf` answers the definition that has an id now, null for none. With `as` it
 * is imported under that id instead of its own.
 */
export async function planImport(
  text: string,
  currentOf: (id: string) => Promise<PipelineDefinition | null>,
  as?: string,
): Promise<ImportPlan> {
  if (text.length > maxDocumentLength) return blocked({ code: 'too_large', message: tooLarge })
  const parsed = parseYaml(text)
  if (!parsed.ok)
    return blocked(
      ...parsed.error.map(({ message, line }) => ({
        code: 'invalid_yaml',
        message: line === undefined ? message : `line ${line}: ${message}`,
      })),
    )
  if (as !== undefined && !idPattern.test(as)) return blocked({ code: 'invalid_id', message: INVALID_ID })
  // Under another id its own does not matter, not even where it is none.
  const value = as !== undefined && isRecord(parsed.value) ? { ...parsed.value, id: as } : parsed.value
  const { valid, definition, issues } = validateDefinition(value, {
    tasks: taskCatalog,
    maxNodes: MOST_NODES,
  })
  if (!valid || definition === undefined || definition === null)
    return { kind: 'blocked', issues: issues.filter(({ severity }) => severity === 'error') }
  const { id } = definition
  const current = await currentOf(id)
  return {
    kind: current === null ? 'new' : 'change',
    id,
    name: definition.name ?? definition.id,
    nodes: definition.nodes.length,
    diff: current === null ? null : diffDefinitions(current, definition),
    names: nodeNames(definition, current),
    warnings: issues.filter(({ severity }) => severity === 'warning'),
    text: isRecord(parsed.value) && parsed.value['id'] === id ? text : withId(text, id),
  }
}

/** The text under another id; everything else, comments too, stays as it is. */
export function withId(text: string, id: string): string {
  const opened = openDocument(text)
  if (!opened.ok || !isRecord(opened.value.value)) return text
  return changeDocument(opened.value, { ...opened.value.value, id }).text
}
