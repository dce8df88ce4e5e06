import { durationText } from '@/components/ui/times'
import { ticksOf, type Tick } from './ticks'
import { pixelOf, type Viewport } from './viewport'

/** Half of the width of a break's label, in pixels. */
const LABEL_PX = 28
/** The width of a tick's text, in pixels. */
const TICK_PX = 48

/** The label of a break: how long nothing happened. `pixel` is its middle. */
export type BreakLabel = {
  readonly from: number
  readonly ms: number
  readonly pixel: number
  readonly text: string
}

/** What the axis shows of a viewport. `zero`: the instant from which ticks count. No tick is behind a label. */
export function axisOf(
  view: Viewport,
  zero: number,
): { readonly ticks: readonly Tick[]; readonly labels: readonly BreakLabel[] } {
  const labels = view.scale.breaks.map(({ from, to }) => ({
    from,
    ms: to - from,
    pixel: labelPixel(pixelOf(view, from), pixelOf(view, to), view.width),
    text: durationText(to - from),
  }))
  const isFree = ({ pixel: tick }: Tick) =>
    labels.every(({ pixel }) => tick >= pixel + LABEL_PX || tick + TICK_PX <= pixel - LABEL_PX)
  return { ticks: ticksOf(view, zero).filter(isFree), labels }
}

/** The middle of a break. Near an edge it is moved inwards until the label can be read. */
function labelPixel(from: number, to: number, width: number): number {
  const middle = (from + to) / 2
  return middle < 0 || middle > width ? middle : Math.max(LABEL_PX, Math.min(middle, width - LABEL_PX))
}
