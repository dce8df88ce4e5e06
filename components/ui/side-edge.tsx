'use client'

import { useEffect, useState, type CSSProperties } from 'react'
import { saveInBrowser, browserStorage } from './browser-storage'

/** Pixels. */
const [NARROWEST, WIDEST, STEP] = [320, 960, 24]

/** The least width of the content beside it, and the width of the navigation. */
const BESIDE = 560

const bounded = (width: number): number =>
  Math.max(NARROWEST, Math.min(WIDEST, window.innerWidth - BESIDE, Math.round(width)))

function widthKept(key: string): number | null {
  const stored = Number(browserStorage()?.getItem(key))
  return stored > 0 && Number.isFinite(stored) ? bounded(stored) : null
}

export type SideWidth = {
  readonly width: number
  readonly set: (width: number) => void
  /** Style of the side panel: its width as `--side`. */
  readonly style: CSSProperties
}

/** The width of a kind of side panel; saved in this browser. */
export function useSideWidth(kind: string, usual: number): SideWidth {
  const key = `penstock.width.${kind}`
  const [width, setWidth] = useState(usual)
  useEffect(() => {
    setWidth(widthKept(key) ?? usual)
  }, [key, usual])
  return {
    width,
    set: (next) => {
      setWidth(bounded(next))
      // Without storage the width lasts as long as the page.
      saveInBrowser(key, String(bounded(next)))
    },
    style: { '--side': `max(${NARROWEST}px, min(${width}px, 100vw - ${BESIDE}px))` } as CSSProperties,
  }
}

/** The edge that resizes a side panel, by pointer or by arrow keys. Not on narrow screens. */
export function SideEdge({ side }: { side: SideWidth }) {
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the panel"
      aria-valuenow={side.width}
      aria-valuemin={NARROWEST}
      aria-valuemax={WIDEST}
      tabIndex={0}
      className="relative z-20 -mr-1.5 hidden w-1.5 shrink-0 cursor-col-resize touch-none hover:bg-accent/40 focus-visible:bg-accent/40 lg:block"
      onKeyDown={(event) => {
        const steps = event.key === 'ArrowLeft' ? 1 : event.key === 'ArrowRight' ? -1 : 0
        if (steps === 0) return
        event.preventDefault()
        event.stopPropagation()
        side.set(side.width + steps * STEP)
      }}
      onPointerDown={(event) => {
        if (event.button === 0) event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId))
          side.set(window.innerWidth - event.clientX)
      }}
    />
  )
}
