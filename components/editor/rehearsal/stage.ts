import { createAsking, openAside, openInPlace, type Aside, type Asked } from '@/components/editor/aside'
import type { Definition } from '@/components/editor/draft/draft'
import type { Answer, Question } from './rehearser'

/** Where a definition is rehearsed: in a worker of its own. */

/** Longest that one rehearsal may take, in milliseconds: one of 10,000 events takes a tenth of it. */
const REHEARSAL_LIMIT_MS = 20_000

type Place = Aside<Question, Answer>

/** Throws where no worker can be had. */
const openRehearser = (): Place => openAside(new Worker(new URL('./rehearse-worker.ts', import.meta.url)))

/** The page itself. */
export const openRehearserInPage = (): Place =>
  openInPlace(() => import('./rehearser').then(({ createRehearser }) => createRehearser()))

export type Stage = {
  /** One question at a time; a definition is sent when it is another than that of the question before. */
  ask(definition: Definition, ask: Question['ask']): Promise<Asked<Answer>>
  drop(): void
}

export function createStage(open: () => Place = openRehearser): Stage {
  const asking = createAsking(open, openRehearserInPage, REHEARSAL_LIMIT_MS)
  let held: Definition | null = null
  return {
    ask: (definition, ask) =>
      asking.ask((fresh) => {
        const known = !fresh && held === definition
        held = definition
        return { definition: known ? null : definition, ask }
      }),
    drop: asking.drop,
  }
}

/** Why there is no answer, in words for people. */
export const unansweredText = (why: 'late' | 'dropped' | 'failed'): string =>
  why === 'late'
    ? `It took longer than ${REHEARSAL_LIMIT_MS / 1_000} seconds and was stopped. Plan less: fewer items, fewer retries, a cancel.`
    : 'It could not be rehearsed here.'
