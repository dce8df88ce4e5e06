import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Definition } from '@/components/editor/model/draft/draft'
import { limits } from '@/core/pipeline/definition/definition'
import { isRecord } from '@/core/pipeline/json'
import { noReplyText, type RehearserClient } from './rehearser-client'

/** The cases of a draft. They are rehearsed again after every change that a run depends on. */

export type Case = {
  readonly name: string
  /** The value in the definition, valid or not. */
  readonly value: unknown
  /** How the rehearsal differed from the case; empty: it passes; null: not known yet. While `busy` they may be of the draft before. */
  readonly messages: readonly string[] | null
}

export type Cases = { readonly cases: readonly Case[]; readonly busy: boolean }

/** A draft, or a revision, which never changes. */
type Source = {
  getState(): { readonly definition: Definition }
  subscribe(listener: () => void): () => void
}

export type CasesStore = StoreApi<Cases> & {
  /** Rehearses the cases of the draft now and after every change, until the returned function is called. */
  follow(draft: Source): () => void
}

/** From a change to the rehearsal of the cases, in milliseconds. */
const PAUSE_MS = 300

/** Fields of a definition that no run depends on. */
const INERT_FIELDS: ReadonlySet<string> = new Set([
  'name',
  'description',
  'labels',
  'layout',
  'notes',
  'rehearsals',
])

export function createCases(rehearser: RehearserClient, pauseMs: number = PAUSE_MS): CasesStore {
  const store = createStore<Cases>(() => ({ cases: [], busy: false }))
  /** The definition of the verdicts. A definition that differs only in inert fields has the same verdicts. */
  let judged: Definition | null = null
  let verdicts = new WeakMap<object, readonly string[]>()
  /** The definition cannot run, so its cases have no verdicts. */
  let broken = false
  let working = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const verdictOn = ({ value }: Pick<Case, 'value'>) =>
    typeof value === 'object' && value !== null ? verdicts.get(value) : []

  function show(list: readonly Pick<Case, 'name' | 'value'>[]): void {
    const { cases: before } = store.getState()
    const cases = list.map(({ name, value }) => {
      const known = verdictOn({ value }) ?? before.find((one) => one.value === value)?.messages ?? null
      return { name, value, messages: broken ? null : known }
    })
    store.setState({ cases, busy: !broken && list.some((one) => verdictOn(one) === undefined) })
  }

  function update(definition: Definition): void {
    const list = casesIn(definition)
    if (list.length === 0 && store.getState().cases.length === 0) return
    // A definition that cannot run may become valid by a change of an inert field, such as the name.
    if (judged === null || broken || !runsTheSame(judged, definition)) {
      judged = definition
      verdicts = new WeakMap()
      broken = false
    }
    show(list)
    clearTimeout(timer)
    if (store.getState().busy) timer = setTimeout(() => void work(), pauseMs)
  }

  async function work(): Promise<void> {
    if (working) return
    working = true
    for (;;) {
      const next = store.getState().cases.find((one) => verdictOn(one) === undefined)
      if (next === undefined || judged === null || broken) break
      const of = judged
      const reply = await rehearser.ask(of, { kind: 'case', value: next.value })
      if (!reply.ok && reply.why === 'dropped') break
      // The draft has changed since: the verdict is outdated.
      if (of !== judged) continue
      if (!reply.ok) verdicts.set(next.value as object, [noReplyText(reply.why)])
      else if (reply.answer.kind === 'case') verdicts.set(next.value as object, reply.answer.messages)
      else broken = true
      show(store.getState().cases)
    }
    working = false
  }

  return Object.assign(store, {
    follow(draft: Source) {
      let of: Definition | null = null
      const want = () => {
        const { definition } = draft.getState()
        if (definition === of) return
        of = definition
        update(definition)
      }
      want()
      const stop = draft.subscribe(want)
      return () => {
        stop()
        clearTimeout(timer)
        judged = null
        rehearser.drop()
        store.setState({ cases: [], busy: false })
      }
    },
  })
}

/** The cases of a definition, valid or not. */
function casesIn({ rehearsals }: Definition): readonly Pick<Case, 'name' | 'value'>[] {
  if (!Array.isArray(rehearsals)) return []
  return rehearsals.slice(0, limits.rehearsals).map((value: unknown, at) => ({
    name: isRecord(value) && typeof value['name'] === 'string' ? value['name'] : `case ${at + 1}`,
    value,
  }))
}

/** Whether both definitions run the same. Fields are compared by identity. */
function runsTheSame(a: Definition, b: Definition): boolean {
  const fields = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...fields].every((field) => INERT_FIELDS.has(field) || a[field] === b[field])
}

/** `3 of 4 cases pass`. */
export function casesText(cases: readonly Case[], busy: boolean): string {
  if (busy) return 'LiveRehearsal the cases…'
  if (cases.some(({ messages }) => messages === null)) return 'Not rehearsed: the draft cannot run'
  const passing = cases.filter(({ messages }) => messages?.length === 0).length
  if (passing === cases.length) return passing === 1 ? 'The case passes' : `All ${passing} cases pass`
  return `${passing} of ${cases.length} cases pass`
}
