'use client'

import { useEffect, type RefObject } from 'react'

/** So few pixels nobody scrolls for: they are the air at the end. */
const STUB = 8

/**
 * Takes the scrollbar away from an area that has a few pixels more than it has room for. The end of what is in it must be air.
 *
 * @param area absent: the page itself
 */
export function useNoStub(
  content: RefObject<HTMLElement | null>,
  area?: RefObject<HTMLElement | null>,
): void {
  useEffect(() => {
    const element = content.current
    const scroller = area === undefined ? document.documentElement : area.current
    if (element === null || scroller === null) return
    const fit = () => {
      const more = scroller.scrollHeight - scroller.clientHeight
      scroller.style.overflowY = more > 0 && more <= STUB ? 'hidden' : ''
    }
    const observer = new ResizeObserver(fit)
    observer.observe(element)
    observer.observe(scroller)
    window.addEventListener('resize', fit)
    return () => {
      observer.disconnect()
      window.removeEventListener('resize', fit)
      scroller.style.overflowY = ''
    }
  }, [content, area])
}
