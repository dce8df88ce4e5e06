import type { Json, ValueRef } from '@/core/engine/event'
import { LIMITS } from '@/core/engine/event'
import { jsonBytes } from '@/core/engine/json-bytes'
import type { LargeValues } from '@/core/engine/large-values'

/** Large values of one rehearsal, in memory. Their references name them by number: nobody else ever reads them. */
export function createInMemoryValues(): LargeValues {
  const values = new Map<string, Json>()
  return {
    mostBytes: LIMITS.largeVariableBytes,
    load: ({ artifact_id }) => values.get(artifact_id),
    keep(value): ValueRef {
      const artifact_id = `rehearsed_${values.size + 1}`
      values.set(artifact_id, value)
      return { artifact_id, digest: artifact_id, bytes: jsonBytes(value, LIMITS.largeVariableBytes) }
    },
  }
}
