import { createRequester, type Reply, type Responder } from '@/components/editor/model/background'
import type { Definition } from '@/components/editor/model/draft/draft'
import type { Answer, Question } from './rehearser'

/** Longest time of one rehearsal, in milliseconds. A rehearsal of 10,000 events takes a tenth of it. */
const REHEARSAL_LIMIT_MS = 20_000

export type RehearserResponder = Responder<Question, Answer>

/** Asks a rehearser, and sends a definition only when it is another one than in the question before. */
export type RehearserClient = {
  /** One question at a time. */
  ask(definition: Definition, ask: Question['ask']): Promise<Reply<Answer>>
  drop(): void
}

export function createRehearserClient(
  open: () => RehearserResponder,
  openFallback: () => RehearserResponder,
): RehearserClient {
  const requester = createRequester(open, openFallback, REHEARSAL_LIMIT_MS)
  let sent: Definition | null = null
  return {
    ask: (definition, ask) =>
      requester.ask((fresh) => {
        const known = !fresh && sent === definition
        sent = definition
        return { definition: known ? null : definition, ask }
      }),
    drop: requester.drop,
  }
}

/** Why there is no answer, as a sentence. */
export const noReplyText = (why: 'late' | 'dropped' | 'failed'): string =>
  why === 'late'
    ? `It took longer than ${REHEARSAL_LIMIT_MS / 1_000} seconds and was stopped. Plan less: fewer items, fewer retries, or a cancellation.`
    : 'It could not be rehearsed in this browser.'
