import type { Scope } from '@/core/pipeline/expression'
import type { JsonObject } from './event'
import type { ExecutionState } from './state'

/**
 * The variables of one execution as expressions see them: by full name, by existence, never by topology [N-O2], and
 * never another execution's [N-6]. `upTo` hides what was written later, so that an input resolves to the same value
 * whenever it is asked for.
 */
export function scopeOf(state: ExecutionState, options: { upTo?: number; locals?: JsonObject } = {}): Scope {
  const { upTo, locals } = options
  return {
    lookup(name) {
      const variable = state.variables.get(name)
      return variable !== undefined && (upTo === undefined || variable.seq <= upTo) ? variable : undefined
    },
    names: () => state.variables.keys(),
    ...(locals === undefined ? {} : { locals }),
  }
}
