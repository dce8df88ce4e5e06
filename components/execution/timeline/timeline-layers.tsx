import type { Selection } from './use-zoom'
import { pixelOf, type Viewport } from './viewport'

/** What lies behind and before the bars over the whole height: breaks, what is dragged over, and the instant that is shown. */
export function TimelineLayers({
  view,
  left,
  selection,
  pastAt,
}: {
  view: Viewport
  /** Where the bars begin, in pixels. */
  left: number
  selection: Selection | null
  /** The instant of the past that is shown: what came later is drawn pale. */
  pastAt: number | null
}) {
  const style = { left, width: view.width }
  return (
    <>
      <div aria-hidden style={style} className="pointer-events-none absolute inset-y-0 overflow-hidden">
        {view.scale.breaks.map(({ from, to }) => (
          <span
            key={from}
            style={{ left: pixelOf(view, from), width: pixelOf(view, to) - pixelOf(view, from) }}
            className="timeline-break absolute inset-y-0"
          />
        ))}
        {selection !== null && (
          <span
            style={{ left: selection.from, width: selection.to - selection.from }}
            className="absolute inset-y-0 border-x border-accent bg-accent/15"
          />
        )}
      </div>
      {pastAt !== null && (
        <div
          aria-hidden
          data-playhead
          style={style}
          className="pointer-events-none absolute inset-y-0 z-[5] overflow-hidden"
        >
          <span
            style={{ left: pixelOf(view, pastAt), right: 0 }}
            className="absolute inset-y-0 border-l-2 border-waiting bg-surface/65"
          />
        </div>
      )}
    </>
  )
}
