import { openDocument, type OpenDocument } from '@/core/pipeline/yaml/document'

/** The other side of `readAside`: takes one text apart. */

const scope = self as unknown as {
  addEventListener(type: 'message', take: (event: MessageEvent<string>) => void): void
  postMessage(document: OpenDocument | null): void
}

scope.addEventListener('message', ({ data }) => {
  const opened = openDocument(data)
  scope.postMessage(opened.ok ? opened.value : null)
})
