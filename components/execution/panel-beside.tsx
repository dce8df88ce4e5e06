'use client'

import { useSearchParams } from 'next/navigation'
import { useCallback } from 'react'
import { SideEdge, useSideWidth } from '@/components/ui/side-edge'
import { writeQuery } from '@/components/ui/write-query'
import { NodePanel } from './node-panel'
import { useScrub } from './scrub'

/** The node that is selected in the address, and a function that selects another. */
export function useSelectedNode(): {
  readonly selected: string | null
  readonly select: (id: string | null) => void
} {
  const { params } = useScrub()
  const select = useCallback(
    (id: string | null) => {
      const next = params('')
      if (id !== null) next.set('node', id)
      writeQuery(next)
    },
    [params],
  )
  return { selected: useSearchParams().get('node'), select }
}

/** The panel of the selected node; nothing when none is selected. Its parent is a relatively positioned row. */
export function PanelBeside({ selected, onClose }: { selected: string | null; onClose: () => void }) {
  const side = useSideWidth('run', 420)
  if (selected === null) return null
  return (
    <>
      <SideEdge side={side} />
      <div
        style={side.style}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose()
        }}
        className="absolute inset-0 z-10 overflow-hidden border-l border-line bg-surface lg:static lg:w-(--side) lg:shrink-0"
      >
        <NodePanel key={selected} nodeId={selected} onClose={onClose} />
      </div>
    </>
  )
}
