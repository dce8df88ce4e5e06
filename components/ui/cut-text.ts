'use client'

import { useEffect } from 'react'

/** Titles that were set here: those of the page are left alone. */
const own = new WeakSet<HTMLElement>()

/** So many elements around that under the pointer are looked at: a text and its marks are no deeper. */
const MOST_AROUND = 4

/** Whether a text ends in an ellipsis, at the end of a line or of its last line. */
function isCut(element: HTMLElement): boolean {
  const { textOverflow, webkitLineClamp } = getComputedStyle(element)
  return textOverflow === 'ellipsis'
    ? element.scrollWidth > element.clientWidth
    : webkitLineClamp !== 'none' && element.scrollHeight > element.clientHeight + 1
}

/** Gives every text that is cut a tooltip that says all of it, when the pointer comes. */
export function useCutText(): void {
  useEffect(() => {
    const over = ({ target }: PointerEvent) => {
      if (!(target instanceof HTMLElement)) return
      let at: HTMLElement | null = target
      for (let step = 0; step < MOST_AROUND && at !== null; step++, at = at.parentElement) {
        if (at.title !== '' && !own.has(at)) return
        if (!isCut(at)) continue
        at.title = at.innerText
        own.add(at)
        return
      }
    }
    document.addEventListener('pointerover', over, { passive: true })
    return () => document.removeEventListener('pointerover', over)
  }, [])
}
