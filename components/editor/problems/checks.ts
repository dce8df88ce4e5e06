import { createStore, type StoreApi } from 'zustand/vanilla'
import { createAsking } from '@/components/editor/aside'
import type { Definition, DraftStore } from '@/components/editor/draft/draft'
import type { Finding } from '@/core/pipeline/check/check'
import { changeOf } from './change'
import { openInPage, openWorker, type Examination } from './examination'

/** What is known to be wrong with a draft. */
export type Checks = {
  readonly findings: readonly Finding[]
  /** The definition of which they tell; null: none was examined yet. */
  readonly of: Definition | null
  /** Why that definition could not be examined, in words for people. */
  readonly trouble: string | null
}

export type ChecksStore = StoreApi<Checks> & {
  /** Examines the draft, now and whenever it changes, until the answer is called. */
  follow(draft: DraftStore): () => void
  /** What is known of exactly this definition, once it is known. It must be, or have been, what the draft says. */
  verdictOn(definition: Definition): Promise<Checks>
}

/** Longest that an examination may take, in milliseconds: a definition of 10,000 nodes takes a tenth of it. */
export const EXAMINATION_LIMIT = 20_000

const STOPPED =
  'Checking took longer than 20 seconds and was stopped: make the definition smaller. Saving it is up to the server.'
const FAILED = 'The draft could not be checked here. Saving it is up to the server.'

/** `open` throws where there is no such place, and the page does it itself. */
export function createChecks(open: () => Examination = openWorker): ChecksStore {
  const store = createStore<Checks>(() => ({ findings: [], of: null, trouble: null }))
  const asking = createAsking(open, openInPage, EXAMINATION_LIMIT)
  /** What the examination holds. */
  let held: Definition | null = null
  /** What the draft says; null: nobody follows it. */
  let wanted: Definition | null = null
  /** Whatever somebody waits for, though the draft may say something else by now. */
  const awaited: Definition[] = []
  let busy = false

  /** null: nobody waits for it any more. */
  async function examine(definition: Definition): Promise<Checks | null> {
    const asked = await asking.ask((fresh) => {
      const change =
        fresh || held === null ? ({ kind: 'value', value: definition } as const) : changeOf(held, definition)
      held = definition
      return { change }
    })
    if (asked.ok) return { findings: asked.answer, of: definition, trouble: null }
    if (asked.why === 'dropped') return null
    return { findings: [], of: definition, trouble: asked.why === 'late' ? STOPPED : FAILED }
  }

  /** One at a time; of what came meanwhile only the last, and what somebody waits for. */
  async function work(): Promise<void> {
    if (busy) return
    busy = true
    for (;;) {
      const next = awaited.shift() ?? wanted
      if (next === null || next === store.getState().of) break
      const found = await examine(next)
      if (found !== null) store.setState(found)
    }
    busy = false
  }

  return Object.assign(store, {
    follow(draft: DraftStore) {
      const want = () => {
        wanted = draft.getState().definition
        void work()
      }
      want()
      const stop = draft.subscribe(want)
      return () => {
        stop()
        wanted = null
        asking.drop()
      }
    },
    verdictOn(definition: Definition) {
      const known = store.getState()
      if (known.of === definition) return Promise.resolve(known)
      return new Promise<Checks>((resolve) => {
        const stop = store.subscribe((state) => {
          if (state.of !== definition) return
          stop()
          resolve(state)
        })
        awaited.push(definition)
        void work()
      })
    },
  })
}
