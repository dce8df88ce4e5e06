/** The wait in place of a frame while the page is hidden, in milliseconds. */
const unseen = 1_000

/** Between two frames: with thousands of changes a second the page must have time for the pointer. Milliseconds. */
const apart = 100

/**
 * Gives a function that runs `then` with the next frame that is drawn, at most ten times a second but for what is wanted `soon`. In a page that nobody sees, where
 * no frame comes, within about a second: its title stays up to date.
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
