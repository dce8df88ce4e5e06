import type { Rejection } from '@/core/engine/input'
import type { EarlyRefusal } from '@/server/orchestrator/contract'
import { DomainError, type RequestIssue } from './domain-error'

/** The engine's refusal (a value) as the refusal of an operation: same code, same words. */
export function refusal(rejection: Rejection | EarlyRefusal): DomainError {
  const issues: RequestIssue[] =
    'issues' in rejection && rejection.issues
      ? rejection.issues.map(({ path, code, message, hint }) => ({
          path: [...path],
          code,
          message,
          ...(hint === undefined ? {} : { hint }),
        }))
      : []
  return new DomainError(rejection.code, rejection.message, issues)
}

/** Ids of other tenants and ids that never were answer alike. */
export function missing(what: string, id: string): DomainError {
  return new DomainError('not_found', `There is no ${what} "${id.slice(0, 80)}".`)
}
