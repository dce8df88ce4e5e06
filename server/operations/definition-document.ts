import { nextFire } from '@/core/pipeline/definition/cron'
import { cronTriggersOf } from '@/core/pipeline/definition/triggers'
import { checkPools } from '@/core/pipeline/check/pools'
import type { Issue } from '@/core/pipeline/issue'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import type { CheckedDocument, DefinitionDocument } from '@/server/ports/definition-check'
import type { PlannedSchedule } from '@/server/ports/schedules'
import type { OperationContext } from './context'
import { DomainError } from './domain-error'
import { wireFinding, type WireFinding } from './wire-finding'

/**
 * Reads a document and checks it.
 * @throws DomainError `invalid_request` unless it is given once
 */
export async function checkedDocument(
  ctx: OperationContext,
  { definition, yaml }: DefinitionDocument,
): Promise<CheckedDocument> {
  const given = Number(definition !== undefined) + Number(yaml !== undefined)
  if (given !== 1) throw new DomainError('invalid_request', 'Give the definition once: as JSON or as YAML.')
  return ctx.definitions.check(yaml === undefined ? { definition } : { yaml })
}

/**
 * The definition when it may be stored, with its warnings, proven ones too.
 * @throws DomainError `malformed` (YAML that cannot be read) or `invalid_definition`, each with all issues at once.
 */
export async function acceptDefinition(
  ctx: OperationContext,
  document: DefinitionDocument,
): Promise<{ definition: PipelineDefinition; text: string | null; digest: string; warnings: WireFinding[] }> {
  const read = await checkedDocument(ctx, document)
  if (!read.ok) throw new DomainError('malformed', 'The YAML cannot be read: see the issues.', read.issues)
  const { verdict, digest } = read
  if (!verdict.valid || !verdict.definition) {
    throw new DomainError(
      'invalid_definition',
      'The pipeline definition is not valid: see the issues.',
      verdict.findings.map(wireFinding),
    )
  }
  const short = poolIssues(ctx, verdict.definition)
  if (short.length > 0)
    throw new DomainError(
      'invalid_definition',
      'No run could ever have what the pipeline demands: see the issues.',
      short,
    )
  return {
    definition: verdict.definition,
    text: document.yaml ?? null,
    digest,
    // What may be meant is a warning, for callers who ask for a check.
    warnings: verdict.findings.filter(({ severity }) => severity !== 'info').map(wireFinding),
  }
}

/** What a definition demands of pools that do not exist, or are too small. */
export function poolIssues(ctx: OperationContext, definition: PipelineDefinition): Issue[] {
  const capacities = ctx.runs
    .pools()
    .flatMap(({ name, capacity, exists }) => (exists ? [[name, capacity ?? Infinity] as const] : []))
  return checkPools(definition, new Map(capacities))
}

/** The schedules that a definition declares; each fires for the first time after `at`, the creation of its revision [G-16]. */
export function plannedSchedules(definition: PipelineDefinition, at: number): PlannedSchedule[] {
  return cronTriggersOf(definition).map(({ id, cron, timezone, enabled }) => {
    return { triggerId: id, cron, timezone, enabled, nextAt: nextFire(cron, timezone, at) }
  })
}
