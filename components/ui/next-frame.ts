/** While nobody sees the page it draws no frames: then this long, in milliseconds. */
const unseen = 1_000

/** Nobody reads what changes more often; with thousands of changes a second the page has time for the pointer. Milliseconds. */
const apart = 100

/**
 * Gives a function that runs `then` with the next frame that is drawn, at most ten times a second but for what is wanted `soon`. In a page that nobody sees, where
 * no frame comes, within about a second: its title goes on telling how things stand.
 */
export function createFrames(): (then: () => void, soon?: boolean) => void {
  let last = -Infinity
  return (then, soon = false) => {
    let frame = 0
    const go = () => {
      cancelAnimationFrame(frame)
      clearTimeout(late)
      last = performance.now()
      then()
    }
    const late = setTimeout(go, unseen)
    const wait = soon ? 0 : last + apart - performance.now()
    if (wait <= 0) frame = requestAnimationFrame(go)
    else setTimeout(() => (frame = requestAnimationFrame(go)), wait)
  }
}
