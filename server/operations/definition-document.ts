import { parseYaml } from '@/core/pipeline/yaml'
import { validateDefinition } from '@/core/pipeline/validate'
import type { Issue } from '@/core/pipeline/issue'
import type { PipelineDefinition } from '@/core/pipeline/definition'
import type { OperationContext } from './context'
import { DomainError } from './domain-error'
import { digestOf } from './idempotency'

export type DefinitionDocument = { readonly definition?: unknown; readonly yaml?: string | undefined }

/** Reads the document: JSON as it is, YAML by the language's bounded parser. Runs and fetches nothing. */
export function readDefinition(
  document: DefinitionDocument,
): { ok: true; value: unknown; text: string | null } | { ok: false; issues: readonly Issue[] } {
  const given = Number(document.definition !== undefined) + Number(document.yaml !== undefined)
  if (given !== 1) throw new DomainError('invalid_request', 'Give the definition once: as JSON or as YAML.')
  if (document.yaml === undefined) return { ok: true, value: document.definition, text: null }
  const parsed = parseYaml(document.yaml)
  return parsed.ok
    ? { ok: true, value: parsed.value, text: document.yaml }
    : { ok: false, issues: parsed.error }
}

/**
 * The definition when it may be stored, with its warnings.
 * @throws DomainError `malformed` (YAML that cannot be read) or `invalid_definition`, each with all issues at once.
 */
export function acceptDefinition(
  ctx: OperationContext,
  document: DefinitionDocument,
): { definition: PipelineDefinition; text: string | null; digest: string; warnings: Issue[] } {
  const read = readDefinition(document)
  if (!read.ok) throw new DomainError('malformed', 'The YAML cannot be read: see the issues.', read.issues)
  const checked = validateDefinition(read.value, { tasks: ctx.tasks, maxNodes: ctx.maxNodes })
  if (!checked.valid || !checked.definition) {
    throw new DomainError(
      'invalid_definition',
      'The pipeline definition is not valid: see the issues.',
      checked.issues,
    )
  }
  return {
    definition: checked.definition,
    text: read.text,
    digest: digestOf(read.value),
    warnings: [...checked.issues],
  }
}
