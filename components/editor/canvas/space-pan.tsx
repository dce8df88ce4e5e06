'use client'

import { useKeyPress } from '@xyflow/react'
import { CanvasCover } from '@/components/graph/pointer-shield'

/**
 * With the space bar held, a drag moves the view wherever it begins. The canvas lets cards and what is selected keep it for themselves, unless
 * something lies over them.
 */
export function SpacePan() {
  return useKeyPress('Space') ? <CanvasCover className="cursor-grab active:cursor-grabbing" /> : null
}
