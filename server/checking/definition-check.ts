import { Worker } from 'node:worker_threads'
import { jsonBytes } from '@/core/engine/json-bytes'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import type { Json } from '@/core/pipeline/json'
import type { CheckedDocument, DefinitionCheck, DefinitionDocument } from '@/server/ports/definition-check'
import { checkDocument, type CheckSettings } from './check-document'

/** What the thread answers: the check, without what its parent has; or why it failed. */
export type Reply = { readonly done: CheckedDocument; readonly valid: boolean } | { readonly broken: string }

/** Larger documents are checked in the thread. A smaller one takes less than sending it there and back would. Characters or bytes. */
const LARGE = 100_000
/** One check; then the thread is ended and the next document gets a new one. Milliseconds. */
const LONGEST_MS = 60_000
/** A thread without work ends. Milliseconds. */
const IDLE_MS = 30_000
const MEGABYTES = 1_024

/**
 * Checks definitions; large ones in a thread, one after another.
 * @param entry the program of the thread; null: all are checked here
 */
export function createDefinitionCheck(
  entry: URL | null,
  settings: CheckSettings,
): DefinitionCheck & { close(): Promise<void> } {
  let thread: Worker | null = null
  let queue: Promise<unknown> = Promise.resolve()
  let idle: ReturnType<typeof setTimeout> | undefined

  function end(): Promise<unknown> {
    clearTimeout(idle)
    const ending = thread?.terminate() ?? Promise.resolve(0)
    thread = null
    return ending
  }

  function threadOf(program: URL): Worker {
    thread ??= new Worker(program, {
      workerData: settings,
      resourceLimits: { maxOldGenerationSizeMb: MEGABYTES },
    })
    thread.unref()
    return thread
  }

  async function inThread(program: URL, document: DefinitionDocument): Promise<CheckedDocument> {
    clearTimeout(idle)
    const worker = threadOf(program)
    try {
      return completed(document, await ask(worker, document))
    } catch (error) {
      await end()
      throw error
    } finally {
      idle = setTimeout(() => void end(), IDLE_MS)
      idle.unref()
    }
  }

  return {
    async check(document) {
      if (entry === null || !isLarge(document)) return checkDocument(document, settings)
      const checked = queue.then(() => inThread(entry, document))
      queue = checked.catch(() => null)
      return checked
    },
    close: async () => void (await end()),
  }
}

const isLarge = ({ definition, yaml }: DefinitionDocument): boolean =>
  yaml === undefined ? jsonBytes((definition ?? null) as Json, LARGE) > LARGE : yaml.length > LARGE

/** @throws when the thread ends, breaks, or takes too long */
function ask(worker: Worker, document: DefinitionDocument): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const answer = (reply: Reply) => over(() => resolve(reply))
    const fail = (error: Error) => over(() => reject(error))
    const end = (code: number) => fail(new Error(`the thread that checks definitions ended (${code})`))
    const late = () => fail(new Error(`checking the definition took longer than ${LONGEST_MS / 1_000} s`))
    const timer = setTimeout(late, LONGEST_MS)
    const over = (then: () => void) => {
      clearTimeout(timer)
      worker.off('message', answer).off('error', fail).off('exit', end)
      then()
    }
    worker.on('message', answer).on('error', fail).on('exit', end)
    worker.postMessage(document)
  })
}

/** What the thread left out comes from the document, or from the value that it sent. */
function completed(document: DefinitionDocument, reply: Reply): CheckedDocument {
  if ('broken' in reply) throw new Error(`a definition could not be checked: ${reply.broken}`)
  const { done, valid } = reply
  if (!done.ok) return done
  const value = document.yaml === undefined ? document.definition : done.value
  return {
    ...done,
    value,
    verdict: { ...done.verdict, ...(valid ? { definition: value as PipelineDefinition } : {}) },
  }
}
