'use client'

import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useEffect, useState } from 'react'
import { NodePanel } from './node-panel'

const widthKey = 'penstock.panel-width'
const narrowest = 320
const widest = 760

/** The width of the panel, dragged or moved by arrow keys, and remembered in this browser. */
function usePanelWidth() {
  const [width, setWidth] = useState(420)
  useEffect(() => {
    const stored = Number(window.localStorage.getItem(widthKey))
    if (stored >= narrowest && stored <= widest) setWidth(stored)
  }, [])
  return [
    width,
    (next: number) => {
      const bounded = Math.min(widest, Math.max(narrowest, next))
      setWidth(bounded)
      window.localStorage.setItem(widthKey, String(bounded))
    },
  ] as const
}

/** The node that is selected in the address of a tab, and how to select another. */
export function useSelectedNode(): {
  readonly selected: string | null
  readonly select: (id: string | null) => void
} {
  const router = useRouter()
  const path = usePathname()
  return {
    selected: useSearchParams().get('node'),
    select: (id) =>
      router.replace(id === null ? path : `${path}?node=${encodeURIComponent(id)}`, { scroll: false }),
  }
}

/** Beside what a tab shows, the node that is selected there; nothing when none is. Its parent is a relative row. */
export function PanelBeside({ selected, onClose }: { selected: string | null; onClose: () => void }) {
  const [width, setWidth] = usePanelWidth()
  if (selected === null) return null
  return (
    <>
      <div
        role="separator"
        aria-orientation="vertical"
        aria-label="Width of the panel"
        aria-valuenow={width}
        aria-valuemin={narrowest}
        aria-valuemax={widest}
        tabIndex={0}
        className="hidden w-1.5 cursor-col-resize touch-none bg-transparent hover:bg-accent/40 lg:block"
        onKeyDown={(event) => {
          if (event.key === 'ArrowLeft') setWidth(width + 24)
          else if (event.key === 'ArrowRight') setWidth(width - 24)
        }}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId))
            setWidth(window.innerWidth - event.clientX)
        }}
      />
      <div
        style={{ '--panel': `${width}px` } as React.CSSProperties}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose()
        }}
        className="absolute inset-0 z-10 overflow-hidden border-l border-line bg-surface lg:static lg:w-(--panel) lg:shrink-0"
      >
        <NodePanel key={selected} nodeId={selected} onClose={onClose} />
      </div>
    </>
  )
}
