'use client'

import { useStoreApi } from '@xyflow/react'
import { useState } from 'react'

const nothing = () => {}

/**
 * Nodes come with their sizes and ends (`measured`, `handles`): the canvas, which would look for them in the page at each of thousands, is
 * told to leave that. To be called before it is drawn.
 */
export function useUnmeasured(): void {
  const canvas = useStoreApi()
  useState(() => canvas.setState({ updateNodeInternals: nothing }))
}
