/**
 * Resolves when for so many milliseconds nobody has held a button: what can wait must not land in the middle of a drag. Aborted before, it
 * never does.
 */
export function atRest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const hold = () => clearTimeout(timer)
    const rest = () => {
      hold()
      timer = setTimeout(() => {
        done.abort()
        resolve()
      }, ms)
    }
    const listening = { signal: done.signal, capture: true }
    window.addEventListener('pointerdown', hold, listening)
    for (const end of ['pointerup', 'pointercancel']) window.addEventListener(end, rest, listening)
    signal.addEventListener(
      'abort',
      () => {
        hold()
        done.abort()
      },
      listening,
    )
    rest()
  })
}
