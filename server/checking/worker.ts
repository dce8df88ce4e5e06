import { parentPort, workerData } from 'node:worker_threads'
import type { DefinitionDocument } from '@/server/ports/definition-check'
import { checkDocument, type CheckSettings } from './check-document'
import type { Reply } from './definition-check'

// A thread of its own: it checks one document after another.
const settings = workerData as CheckSettings

parentPort?.on('message', (document: DefinitionDocument) => {
  let reply: Reply
  try {
    const checked = checkDocument(document, settings)
    // The parent has the value of JSON, and of what is valid: it is sent once at most.
    if (checked.ok) {
      const { definition, ...verdict } = checked.verdict
      const isYaml = document.yaml !== undefined
      reply = {
        done: { ...checked, value: isYaml ? checked.value : null, verdict },
        valid: definition !== undefined,
      }
    } else reply = { done: checked, valid: false }
  } catch (error) {
    reply = { broken: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
  parentPort?.postMessage(reply)
})
