import type { Finding } from '@/core/pipeline/check'
import type { Question } from './examiner'

/** Where a draft is examined: one question after the other. */
export type Examination = {
  /** Rejects when it cannot be answered: whoever asked opens another examination. */
  ask(question: Question): Promise<readonly Finding[]>
  close(): void
}

/** A worker of its own: whatever a definition costs, the page stays as it is. Throws where no worker can be had. */
export function openWorker(): Examination {
  const worker = new Worker(new URL('./check-worker.ts', import.meta.url))
  return {
    ask: (question) =>
      new Promise((resolve, reject) => {
        worker.onmessage = ({ data }: MessageEvent<readonly Finding[]>) => resolve(data)
        worker.onerror = (event) => {
          event.preventDefault()
          reject(new Error(event.message))
        }
        worker.postMessage(question)
      }),
    close: () => worker.terminate(),
  }
}

/** The page itself. Loaded when it is needed, which is hardly ever. */
export function openInPage(): Examination {
  const examiner = import('./examiner').then(({ createExaminer }) => createExaminer())
  return {
    ask: async (question) => (await examiner)(question),
    close() {},
  }
}
