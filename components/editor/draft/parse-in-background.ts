import type { OpenDocument } from '@/core/pipeline/yaml/document'

/**
 * Parses a text in a worker, because a large one would block the page. Copying the result to the page takes long too, and is done when
 * the returned function is called; that function returns null where the text cannot be parsed. Null: there is no worker, or it failed.
 */
export function parseInBackground(
  text: string,
  signal: AbortSignal,
): Promise<(() => OpenDocument | null) | null> {
  if (typeof Worker === 'undefined') return Promise.resolve(null)
  const worker = new Worker(new URL('./parse-worker.ts', import.meta.url))
  signal.addEventListener('abort', () => worker.terminate())
  return new Promise((resolve) => {
    worker.onmessage = (event: MessageEvent<OpenDocument | null>) => {
      worker.terminate()
      // The browser copies the data when it is first read.
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
