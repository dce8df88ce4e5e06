'use client'

import { useMemo, useRef, useState } from 'react'
import type { Drawing } from './model/drawing'
import { fold, toggled, type Folded } from './model/fold'

const NOTHING: ReadonlySet<string> = new Set()

/** A drawing with its groups of alike nodes folded; members that are equal to those of the render before are the same objects. */
export function useFolded(
  drawing: Drawing,
  opened: ReadonlySet<string> = NOTHING,
  selected: string | null = null,
): Folded {
  const last = useRef<Folded | null>(null)
  return useMemo(() => {
    const traced = selected === null ? NOTHING : new Set([selected])
    last.current = fold(drawing, { opened, traced }, last.current)
    return last.current
  }, [drawing, opened, selected])
}

export type OpenGroups = {
  readonly opened: ReadonlySet<string>
  /** The group that was opened or closed last. */
  readonly last: string | null
  readonly toggle: (id: string) => void
}

/** Which groups are open, in the page alone. */
export function useOpenGroups(): OpenGroups {
  const [state, setState] = useState<Pick<OpenGroups, 'opened' | 'last'>>({ opened: NOTHING, last: null })
  const [toggle] = useState(() => (id: string) => setState(({ opened }) => toggled(opened, id)))
  return useMemo(() => ({ ...state, toggle }), [state, toggle])
}
