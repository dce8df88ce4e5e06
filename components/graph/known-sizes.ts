'use client'

import { useStoreApi } from '@xyflow/react'
import { useState } from 'react'

const nothing = () => {}

/**
 * Stops the canvas from measuring nodes in the page, which takes long with thousands of them. Every node must come with its size
 * and its handles (`measured`, `handles`). To be called before the canvas is drawn.
 */
export function useKnownSizes(): void {
  const canvas = useStoreApi()
  useState(() => canvas.setState({ updateNodeInternals: nothing }))
}
