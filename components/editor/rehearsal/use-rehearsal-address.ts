'use client'

import { useSearchParams } from 'next/navigation'
import { writeQuery } from '@/components/ui/write-query'

export type Shape = 'graph' | 'timeline' | 'nodes'
const shapes: readonly string[] = ['graph', 'timeline', 'nodes'] satisfies Shape[]

export type Looked = {
  readonly node: string | null
  readonly as: Shape
  /** The case whose scenario is wanted, by its place among those of the draft. */
  readonly case: number | null
}

/** What is looked at stands in the address, so that it can be linked: the node, the shape, the case that is open. */
export function useRehearsalAddress(): {
  readonly looked: Looked
  readonly look: (change: Partial<Looked>) => void
} {
  const params = useSearchParams()
  const as = params.get('as') ?? ''
  const at = Number(params.get('case') ?? NaN)
  const looked: Looked = {
    node: params.get('node'),
    as: shapes.includes(as) ? (as as Shape) : 'graph',
    case: Number.isInteger(at) && at >= 0 ? at : null,
  }
  const look = (change: Partial<Looked>) => {
    const next = new URLSearchParams(window.location.search)
    for (const [key, value] of Object.entries(change))
      if (value === null || (key === 'as' && value === 'graph')) next.delete(key)
      else next.set(key, String(value))
    writeQuery(next)
  }
  return { looked, look }
}
