import { createExaminer, type Question } from './examiner'

/** The other side of `openWorker`: answers every question with what it found, in their order. */

const scope = self as unknown as {
  addEventListener(type: 'message', take: (event: MessageEvent<Question>) => void): void
  postMessage(answer: ReturnType<ReturnType<typeof createExaminer>>): void
}

const examine = createExaminer()
scope.addEventListener('message', ({ data }) => scope.postMessage(examine(data)))
