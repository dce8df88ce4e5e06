import { createStore, type StoreApi } from 'zustand/vanilla'
import { createRequester } from '@/components/editor/model/background'
import type { Definition, DraftStore } from '@/components/editor/model/draft/draft'
import type { Finding } from '@/core/pipeline/check/check'
import type { Checker } from './checker'
import { patchOf } from './definition-patch'

/** What is known to be wrong with a draft. */
export type Checks = {
  readonly findings: readonly Finding[]
  /** The definition that was checked; null: none was yet. */
  readonly of: Definition | null
  /** Why that definition could not be checked, as a sentence. */
  readonly trouble: string | null
}

export type ChecksStore = StoreApi<Checks> & {
  /** Checks the draft now and after every change, until the returned function is called. */
  follow(draft: DraftStore): () => void
  /** What is found in exactly this definition, which must be one that the draft has or had. */
  verdictOn(definition: Definition): Promise<Checks>
}

/** Longest time of one check, in milliseconds. A definition of 10,000 nodes takes a tenth of it. */
export const CHECK_LIMIT_MS = 20_000

const STOPPED =
  'Checking took longer than 20 seconds and was stopped. Make the definition smaller. The server checks it again when you publish.'
const FAILED = 'The draft could not be checked in this browser. The server checks it when you publish.'

/**
 * @param open may throw where no worker is available
 * @param openFallback used from then on
 */
export function createChecks(open: () => Checker, openFallback: () => Checker): ChecksStore {
  const store = createStore<Checks>(() => ({ findings: [], of: null, trouble: null }))
  const requester = createRequester(open, openFallback, CHECK_LIMIT_MS)
  /** The definition that the checker has. */
  let sent: Definition | null = null
  /** The definition of the draft; null: no draft is followed. */
  let wanted: Definition | null = null
  /** Definitions whose verdict somebody awaits, even if the draft has changed since. */
  const awaited: Definition[] = []
  let busy = false

  /** null: the request was cancelled. */
  async function check(definition: Definition): Promise<Checks | null> {
    const reply = await requester.ask((fresh) => {
      const patch =
        fresh || sent === null ? ({ kind: 'value', value: definition } as const) : patchOf(sent, definition)
      sent = definition
      return { patch }
    })
    if (reply.ok) return { findings: reply.answer, of: definition, trouble: null }
    if (reply.why === 'dropped') return null
    return { findings: [], of: definition, trouble: reply.why === 'late' ? STOPPED : FAILED }
  }

  /** Checks one definition at a time: those that are awaited, then the latest of the draft. Those in between are skipped. */
  async function work(): Promise<void> {
    if (busy) return
    busy = true
    for (;;) {
      const next = awaited.shift() ?? wanted
      if (next === null || next === store.getState().of) break
      const found = await check(next)
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
        requester.drop()
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
