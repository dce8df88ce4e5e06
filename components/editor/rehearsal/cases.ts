import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Definition } from '@/components/editor/draft/draft'
import { limits } from '@/core/pipeline/definition/definition'
import { isRecord } from '@/core/pipeline/json'
import { createStage, unansweredText, type Stage } from './stage'

/** The cases of a draft, rehearsed anew whenever it becomes another pipeline. */

export type Case = {
  readonly name: string
  /** As it stands in the definition, whatever that is. */
  readonly value: unknown
  /** What came otherwise than it says; empty: it holds; null: not known yet. While `busy`, of the draft as it was before. */
  readonly messages: readonly string[] | null
}

export type Cases = { readonly cases: readonly Case[]; readonly busy: boolean }

/** What says the definition: a draft, or a revision, which never changes. */
type Source = {
  getState(): { readonly definition: Definition }
  subscribe(listener: () => void): () => void
}

export type CasesStore = StoreApi<Cases> & {
  /** Rehearses the cases of the draft, now and whenever it changes, until the answer is called. */
  follow(draft: Source): () => void
}

/** Nobody waits for the cases while they type. Milliseconds. */
const PAUSE_MS = 300

/** What a run does not depend on. */
const LOOKS: ReadonlySet<string> = new Set(['name', 'description', 'labels', 'layout', 'notes', 'rehearsals'])

export function createCases(stage: Stage = createStage(), pauseMs = PAUSE_MS): CasesStore {
  const store = createStore<Cases>(() => ({ cases: [], busy: false }))
  /** The definition for which the verdicts hold; those that run as it does are not rehearsed again. */
  let judged: Definition | null = null
  let verdicts = new WeakMap<object, readonly string[]>()
  /** It cannot run: there is nothing to be known of its cases. */
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

  function look(definition: Definition): void {
    const list = casesIn(definition)
    if (list.length === 0 && store.getState().cases.length === 0) return
    // What cannot run may come to by a change that no run depends on, such as that of a name.
    if (judged === null || broken || !runsAlike(judged, definition)) {
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
      const asked = await stage.ask(of, { kind: 'case', value: next.value })
      if (!asked.ok && asked.why === 'dropped') break
      // Of a draft that is another by now nothing was learned.
      if (of !== judged) continue
      if (!asked.ok) verdicts.set(next.value as object, [unansweredText(asked.why)])
      else if (asked.answer.kind === 'case') verdicts.set(next.value as object, asked.answer.messages)
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
        look(definition)
      }
      want()
      const stop = draft.subscribe(want)
      return () => {
        stop()
        clearTimeout(timer)
        judged = null
        stage.drop()
        store.setState({ cases: [], busy: false })
      }
    },
  })
}

/** The cases that stand in a definition, whether or not they can be read. */
function casesIn({ rehearsals }: Definition): readonly Pick<Case, 'name' | 'value'>[] {
  if (!Array.isArray(rehearsals)) return []
  return rehearsals.slice(0, limits.rehearsals).map((value: unknown, at) => ({
    name: isRecord(value) && typeof value['name'] === 'string' ? value['name'] : `case ${at + 1}`,
    value,
  }))
}

/** Whether a run of one would be a run of the other, by the parts that both share. */
function runsAlike(a: Definition, b: Definition): boolean {
  const fields = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...fields].every((field) => LOOKS.has(field) || a[field] === b[field])
}

/** `3 of 4 cases hold`. */
export function tellCases(cases: readonly Case[], busy: boolean): string {
  if (busy) return 'Rehearsing the cases…'
  if (cases.some(({ messages }) => messages === null)) return 'Not rehearsed: the draft cannot run'
  const holding = cases.filter(({ messages }) => messages?.length === 0).length
  if (holding === cases.length) return holding === 1 ? 'The case holds' : `All ${holding} cases hold`
  return `${holding} of ${cases.length} cases hold`
}
