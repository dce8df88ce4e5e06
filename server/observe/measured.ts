import type { Entry } from '@/core/engine/event'
import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import type { DefinitionCheck } from '@/server/ports/definition-check'
import type { Journal, VariableStore } from '@/server/ports/journal'
import { RUN_ENDS, type Metrics } from './metrics'

/** The journal, with every transaction measured. */
export function measureJournal(journal: Journal, { instruments, now }: Metrics): Journal {
  return {
    ...journal,
    async commit(batch) {
      const begun = now()
      const result = await journal.commit(batch)
      instruments.commitDuration.observe((now() - begun) / 1_000)
      let events = 0
      for (const { entries } of batch.executions) events += entries.length
      instruments.commitSize.observe(events)
      return result
    },
  }
}

/** The check of definitions, measured. @param heard hears how long each took, in milliseconds */
export function measureDefinitions<Check extends DefinitionCheck>(
  definitions: Check,
  { instruments, now }: Metrics,
  heard: (ms: number) => void,
): Check {
  return {
    ...definitions,
    async check(document) {
      const begun = now()
      const checked = await definitions.check(document)
      const took = now() - begun
      instruments.dagParse.observe(took / 1_000)
      heard(took)
      return checked
    },
  }
}

/** Variables for whoever asks for them, each counted as read. */
export function measureVariables(variables: VariableStore, { reads }: Metrics): VariableStore {
  return {
    ...variables,
    get(executionId, name) {
      reads.note(1)
      return variables.get(executionId, name)
    },
    async list(executionId) {
      const all = await variables.list(executionId)
      reads.note(all.length)
      return all
    },
  }
}

/** What is measured of an answer of the server. */
type Answer = {
  readonly req: {
    readonly url?: string | undefined
    readonly headers: { readonly accept?: string | undefined }
  }
  readonly statusCode: number
  once(event: 'finish', listener: () => void): unknown
}

/** Follows a run, or waits for its end: how long that takes says nothing of the server. */
const isLong = ({ url = '', headers }: Answer['req']): boolean =>
  /\/stream(?:\?|$)|[?&]wait=/.test(url) || headers.accept?.includes('text/event-stream') === true

/** Measures an answer from now until it was handed over. */
export function measureRequest({ instruments, now }: Metrics, response: Answer): void {
  if (isLong(response.req)) return
  const begun = now()
  response.once('finish', () => {
    const status = `${Math.floor(response.statusCode / 100)}xx`
    instruments.requests.observe({ status }, (now() - begun) / 1_000)
  })
}

/** Counts what a commit made durable. */
export function countCommit({ instruments }: Metrics, entries: readonly Entry[]): void {
  const ended = { completed: 0, failed: 0, cancelled: 0, lost: 0 }
  for (const { event } of entries) {
    const level = event.source.entity_type
    if (level === 'task') {
      const { word } = eventTypeOf(event.type)
      if (word === 'completed' || word === 'lost') ended[word] += 1
      else if (word === 'failed') ended[wasCancelled(event.payload) ? 'cancelled' : 'failed'] += 1
    } else if (level === 'pipeline') countOfRun(instruments, event.type, event.payload)
  }
  for (const [status, count] of Object.entries(ended)) if (count > 0) instruments.tasks.inc({ status }, count)
}

type Payload = Entry['event']['payload']

const wasCancelled = ({ error }: Payload): boolean =>
  typeof error === 'object' && error !== null && 'kind' in error && error.kind === 'cancelled'

function countOfRun(instruments: Metrics['instruments'], type: string, payload: Payload): void {
  const { word } = eventTypeOf(type)
  const status = RUN_ENDS.find((end) => end === word)
  if (status !== undefined && typeof payload.duration_ms === 'number')
    instruments.executionDuration.observe({ status }, payload.duration_ms / 1_000)
  else if (word === 'created') instruments.runsStarted.inc()
  else if (word === 'rolling_back') instruments.rollbacks.inc()
  else if (word === 'checkpoint_skipped') instruments.skippedCheckpoints.inc()
  else if (word === 'checkpointed' && typeof payload.bytes === 'number')
    instruments.checkpointSize.observe(payload.bytes)
}
