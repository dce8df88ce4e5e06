import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import { diffDefinitions, type DefinitionDiff } from '@/core/pipeline/diff/diff'
import { validateDefinition } from '@/core/pipeline/check/validate'
import { parseYaml } from '@/core/pipeline/yaml/yaml'
import { taskCatalog } from '@/tasks/contracts'

const MOST_NODES = 10_000

/** What a text says, when it is a valid definition. */
function definitionIn(text: string): PipelineDefinition | null {
  const parsed = parseYaml(text)
  if (!parsed.ok) return null
  return validateDefinition(parsed.value, { tasks: taskCatalog, maxNodes: MOST_NODES }).definition ?? null
}

/** What the second text says differently; null when one of them is no valid definition. */
export function draftDiff(before: string, after: string): DefinitionDiff | null {
  const [old, now] = [definitionIn(before), definitionIn(after)]
  return old === null || now === null ? null : diffDefinitions(old, now)
}
