/** As long as the page does nothing else, in milliseconds. */
const SLICE = 25

/** Does a long work step by step and gives what it returns. Between slices of it the page does what waits: frames, input, answers. */
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

/** Not by a timer: those of a page that nobody sees fire once a second. */
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
