import { isRecord } from '@/core/pipeline/json'

/** The size in bytes of a value that was stored as a file because it is large; null for any other value. */
export function largeValueBytes(value: unknown): number | null {
  if (!isRecord(value)) return null
  const { artifact_id: id, digest, bytes } = value
  return typeof digest === 'string' && id === `value-${digest}` && typeof bytes === 'number' ? bytes : null
}
