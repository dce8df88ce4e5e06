import { largeValueBytes } from '@/components/ui/large-value'
import { isRecord } from '@/core/pipeline/json'

export type FileIn = {
  /** The name of the value that is the file, or holds it. */
  readonly value: string
  readonly id: string
  readonly name: string
  readonly bytes: number | null
}

const MOST = 50

/** The files among values: those that are a file, and lists of files. What is saved as a file because it is large is one, too. */
export function filesIn(values: { readonly [name: string]: unknown }): readonly FileIn[] {
  return Object.entries(values)
    .flatMap(([value, one]) =>
      (Array.isArray(one) ? (one as unknown[]) : [one]).flatMap((each) => fileOf(value, each)),
    )
    .slice(0, MOST)
}

function fileOf(value: string, one: unknown): readonly FileIn[] {
  if (!isRecord(one) || typeof one['artifact_id'] !== 'string') return []
  const { artifact_id: id, name, bytes } = one
  const large = largeValueBytes(one)
  if (typeof name !== 'string' && large === null) return []
  return [
    {
      ...{ value, id },
      name: typeof name === 'string' ? name : 'the whole value',
      bytes: typeof bytes === 'number' ? bytes : large,
    },
  ]
}
