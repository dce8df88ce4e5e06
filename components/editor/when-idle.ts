/**
 * Resolves once no pointer button has been down for `ms` milliseconds, so that work which can wait does not interrupt a drag. Never
 * resolves when `signal` is aborted before.
 */
export function whenIdle(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const stopTimer = () => clearTimeout(timer)
    const startTimer = () => {
      stopTimer()
      timer = setTimeout(() => {
        done.abort()
        resolve()
      }, ms)
    }
    const listening = { signal: done.signal, capture: true }
    window.addEventListener('pointerdown', stopTimer, listening)
    for (const end of ['pointerup', 'pointercancel']) window.addEventListener(end, startTimer, listening)
    signal.addEventListener(
      'abort',
      () => {
        stopTimer()
        done.abort()
      },
      listening,
    )
    startTimer()
  })
}
