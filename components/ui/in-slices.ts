/** The longest time that the page may block, in milliseconds. */
const SLICE = 25

/** Runs long work step by step and answers its result. Between slices the page handles frames, input and responses. */
export async function inSlices<T>(work: Iterator<unknown, T>): Promise<T> {
  let until = performance.now() + SLICE
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
    if (performance.now() < until) continue
    await nextTask()
    until = performance.now() + SLICE
  }
}

/** Not a timer: timers of hidden pages fire once a second. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })
}
