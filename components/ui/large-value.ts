import { isRecord } from '@/core/pipeline/json'

/** How many bytes a value has that is too large to stand here and is kept as a file; null: the value is what it is. */
export function largeValueBytes(value: unknown): number | null {
  if (!isRecord(value)) return null
  const { artifact_id: id, digest, bytes } = value
  return typeof digest === 'string' && id === `value-${digest}` && typeof bytes === 'number' ? bytes : null
}
