import type { OpenDocument } from '@/core/pipeline/yaml/document'

/**
 * Takes a text apart in a worker: for a large one that takes longer than a page may stand still. So does copying over what came of it, which is
 * done when the answer is called. null: there is no worker, or it failed.
 */
export function readAside(text: string, signal: AbortSignal): Promise<(() => OpenDocument | null) | null> {
  if (typeof Worker === 'undefined') return Promise.resolve(null)
  const worker = new Worker(new URL('./read-worker.ts', import.meta.url))
  signal.addEventListener('abort', () => worker.terminate())
  return new Promise((resolve) => {
    worker.onmessage = (event: MessageEvent<OpenDocument | null>) => {
      worker.terminate()
      // What was sent is copied over when it is first asked for.
      resolve(() => event.data)
    }
    worker.onerror = (event) => {
      event.preventDefault()
      worker.terminate()
      resolve(null)
    }
    worker.postMessage(text)
  })
}
