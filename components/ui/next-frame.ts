/** While nobody sees the page it draws no frames: then this long, in milliseconds. */
const unseen = 1_000

/**
 * Runs `then` with the next frame that is drawn. In a page that nobody sees, where no frame comes, within about a second: its
 * title goes on telling how things stand.
 */
export function nextFrame(then: () => void): void {
  const go = () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
    then()
  }
  const frame = requestAnimationFrame(go)
  const timer = setTimeout(go, unseen)
}
