/** Where messages appear, so that they cover nothing that can be pressed. Pure. */

export type Rect = {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

type Size = { readonly width: number; readonly height: number }

/** Pixels to the edges of the window, and from one spot that is tried to the next. */
const MARGIN = 16
const STEP = 12

/** The corner of the first spot, from the lower right, that covers no control; where there is none, that which covers the least. */
export function toastSpot(
  own: Size,
  controls: readonly Rect[],
  frame: Size,
): { readonly left: number; readonly bottom: number } {
  const right = frame.width - MARGIN - own.width
  const lefts = [...new Set([right, right / 2, MARGIN].map((left) => Math.max(0, Math.min(left, right))))]
  const most = Math.max(MARGIN, frame.height - MARGIN - own.height)
  let best = { left: lefts[0]!, bottom: MARGIN, covered: Infinity }
  for (let bottom = MARGIN; bottom <= most; bottom += STEP)
    for (const left of lefts) {
      const low = frame.height - bottom
      const spot = { left, top: low - own.height, right: left + own.width, bottom: low }
      const covered = controls.reduce((sum, control) => sum + shared(spot, control), 0)
      if (covered < best.covered) best = { left, bottom, covered }
      if (covered === 0) return { left, bottom }
    }
  return { left: best.left, bottom: best.bottom }
}

/** The area that two share. */
function shared(a: Rect, b: Rect): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left)
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
  return width > 0 && height > 0 ? width * height : 0
}
