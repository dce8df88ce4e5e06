import { nextFire } from '@/core/pipeline/definition/cron'
import { cronTriggersOf } from '@/core/pipeline/definition/triggers'
import { parseYaml } from '@/core/pipeline/yaml/yaml'
import { checkDefinition } from '@/core/pipeline/check/check'
import type { Issue } from '@/core/pipeline/issue'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import type { PlannedSchedule } from '@/server/ports/schedules'
import type { OperationContext } from './context'
import { DomainError } from './domain-error'
import { digestOf } from './idempotency'
import { wireFinding, type WireFinding } from './wire-finding'

export type DefinitionDocument = { readonly definition?: unknown; readonly yaml?: string | undefined }

/** Reads the document: JSON as it is, YAML by the language's bounded parser. Runs and fetches nothing. */
export function readDefinition(
  document: DefinitionDocument,
): { ok: true; value: unknown; text: string | null } | { ok: false; issues: readonly Issue[] } {
  const given = Number(document.definition !== undefined) + Number(document.yaml !== undefined)
  if (given !== 1) throw new DomainError('invalid_request', 'Give the definition once: as JSON or as YAML.')
  if (document.yaml === undefined) return { ok: true, value: document.definition, text: null }
  const parsed = parseYaml(document.yaml)
  if (parsed.ok) return { ok: true, value: parsed.value, text: document.yaml }
  const issues = parsed.error.map(({ message, line, column }): Issue => {
    const place =
      line === undefined ? '' : `line ${line}${column === undefined ? '' : `, column ${column}`}: `
    return { path: [], code: 'invalid_yaml', message: `${place}${message}`, severity: 'error' }
  })
  return { ok: false, issues }
}

/**
 * The definition when it may be stored, with its warnings, proven ones too.
 * @throws DomainError `malformed` (YAML that cannot be read) or `invalid_definition`, each with all issues at once.
 */
export function acceptDefinition(
  ctx: OperationContext,
  document: DefinitionDocument,
): { definition: PipelineDefinition; text: string | null; digest: string; warnings: WireFinding[] } {
  const read = readDefinition(document)
  if (!read.ok) throw new DomainError('malformed', 'The YAML cannot be read: see the issues.', read.issues)
  const checked = checkDefinition(read.value, ctx)
  if (!checked.valid || !checked.definition) {
    throw new DomainError(
      'invalid_definition',
      'The pipeline definition is not valid: see the issues.',
      checked.findings.map(wireFinding),
    )
  }
  return {
    definition: checked.definition,
    text: read.text,
    digest: digestOf(ctx, read.value),
    // What may be meant is a warning, for callers who ask for a check.
    warnings: checked.findings.filter(({ severity }) => severity !== 'info').map(wireFinding),
  }
}

/** The schedules that a definition declares; each fires for the first time after `at`, the creation of its revision [G-16]. */
export function plannedSchedules(definition: PipelineDefinition, at: number): PlannedSchedule[] {
  return cronTriggersOf(definition).map(({ id, cron, timezone, enabled }) => {
    return { triggerId: id, cron, timezone, enabled, nextAt: nextFire(cron, timezone, at) }
  })
}
