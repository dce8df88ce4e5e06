'use client'

import { useSearchParams } from 'next/navigation'
import { writeQuery } from '@/components/ui/write-query'

export type Shape = 'graph' | 'timeline' | 'nodes'
const shapes: readonly string[] = ['graph', 'timeline', 'nodes'] satisfies Shape[]

export type RehearsalAddress = {
  readonly node: string | null
  readonly as: Shape
  /** The index of the case that is open. */
  readonly case: number | null
}

/** What is shown is part of the address, so that it can be linked: the node, the shape and the open case. */
export function useRehearsalAddress(): {
  readonly address: RehearsalAddress
  readonly setAddress: (change: Partial<RehearsalAddress>) => void
} {
  const params = useSearchParams()
  const as = params.get('as') ?? ''
  const at = Number(params.get('case') ?? NaN)
  const address: RehearsalAddress = {
    node: params.get('node'),
    as: shapes.includes(as) ? (as as Shape) : 'graph',
    case: Number.isInteger(at) && at >= 0 ? at : null,
  }
  const setAddress = (change: Partial<RehearsalAddress>) => {
    const next = new URLSearchParams(window.location.search)
    for (const [key, value] of Object.entries(change))
      if (value === null || (key === 'as' && value === 'graph')) next.delete(key)
      else next.set(key, String(value))
    writeQuery(next)
  }
  return { address, setAddress }
}
