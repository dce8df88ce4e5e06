'use client'

import { useEffect, useMemo, useState } from 'react'
import { arrange } from './arrange'
import { arrangedLayout, hasSameShape } from './model/arranged'
import type { Drawing } from './model/drawing'
import type { Point } from './model/boxes'
import { storedLayout, type Direction, type Layout } from './model/layout'

export type Positions = { readonly [id: string]: Point }

/** The same object for drawings of the same shape: only a new shape needs a new layout, a new status does not. */
export function useShape(drawing: Drawing): Drawing {
  const [shapeOf] = useState(() => {
    let first: Drawing | null = null
    return (next: Drawing) => (first = first !== null && hasSameShape(first, next) ? first : next)
  })
  return shapeOf(drawing)
}

/** The layout of a drawing; the same object as long as its shape is the same. Null until it has been computed. */
export function useLayout(
  drawing: Drawing,
  positions: Positions | undefined,
  direction: Direction,
): Layout | null {
  const shape = useShape(drawing)
  const stored = useMemo(
    () => (direction === 'right' ? storedLayout(shape, positions) : null),
    [shape, positions, direction],
  )
  const arranged = useArranged(stored === null ? shape : null, direction)
  return stored ?? arranged
}

type Done = { readonly shape: Drawing; readonly direction: Direction; readonly layout: Layout }

/** The computed layout of a shape; null as long as it is computed, and where there is nothing to compute. */
export function useArranged(shape: Drawing | null, direction: Direction): Layout | null {
  const [done, setDone] = useState<Done | null>(null)
  useEffect(() => {
    if (shape === null) return
    let current = true
    void arrange(shape, direction).then((layout) => {
      if (current) setDone({ shape, direction, layout })
    })
    return () => {
      current = false
    }
  }, [shape, direction])
  const known = useMemo(() => (shape === null ? null : arrangedLayout(shape, direction)), [shape, direction])
  return done !== null && done.shape === shape && done.direction === direction ? done.layout : known
}
