'use client'

import { useKeyPress, useStore } from '@xyflow/react'
import { useEffect } from 'react'

/**
 * With the space bar held, a drag moves the view wherever it begins. The canvas lets cards and what is selected keep it for themselves:
 * what is pressed there, the pane is told of instead.
 */
export function SpacePan() {
  const held = useKeyPress('Space')
  const root = useStore(({ domNode }) => domNode)
  useEffect(() => {
    const pane = root?.querySelector('.react-flow__pane') ?? null
    if (!held || root === null || pane === null) return
    const press = (event: MouseEvent) => {
      if (event.target === pane || event.button !== 0 || !pane.contains(event.target as Node)) return
      event.stopPropagation()
      pane.dispatchEvent(new MouseEvent(event.type, event))
    }
    root.addEventListener('mousedown', press, true)
    return () => root.removeEventListener('mousedown', press, true)
  }, [held, root])
  return null
}
