import type { Responder } from './model/background'

/** A responder that runs in a worker: the page stays responsive whatever an answer costs. */
export function openWorker<Question, Answer>(worker: Worker): Responder<Question, Answer> {
  return {
    ask: (question) =>
      new Promise((resolve, reject) => {
        worker.onmessage = ({ data }: MessageEvent<Answer>) => resolve(data)
        worker.onerror = (event) => {
          event.preventDefault()
          reject(new Error(event.message))
        }
        worker.postMessage(question)
      }),
    close: () => worker.terminate(),
  }
}

/** The worker's side of `openWorker`: answers every question, in order. */
export function answerInWorker<Question, Answer>(answer: (question: Question) => Answer): void {
  const scope = self as unknown as {
    addEventListener(type: 'message', take: (event: MessageEvent<Question>) => void): void
    postMessage(answer: Answer): void
  }
  scope.addEventListener('message', ({ data }) => scope.postMessage(answer(data)))
}
