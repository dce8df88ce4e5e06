import type { OpenDocument } from '@/core/pipeline/document'

/**
 * Takes a text apart in a worker: for a large one that takes longer than a page may stand still. Answers what stops it; where there is no
 * worker, or the text cannot be read, `take` is never called and the page reads it when it has to.
 */
export function readAside(text: string, take: (document: OpenDocument) => void): () => void {
  if (typeof Worker === 'undefined') return () => {}
  const worker = new Worker(new URL('./read-worker.ts', import.meta.url))
  worker.onmessage = ({ data }: MessageEvent<OpenDocument | null>) => {
    worker.terminate()
    if (data !== null) take(data)
  }
  worker.onerror = (event) => {
    event.preventDefault()
    worker.terminate()
  }
  worker.postMessage(text)
  return () => worker.terminate()
}
