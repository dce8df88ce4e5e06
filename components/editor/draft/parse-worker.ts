import { answerInWorker } from '@/components/editor/worker'
import { openDocument, type OpenDocument } from '@/core/pipeline/yaml/document'

/** Runs in the worker that `parseInBackground` opens. */

answerInWorker((text: string): OpenDocument | null => {
  const opened = openDocument(text)
  return opened.ok ? opened.value : null
})
