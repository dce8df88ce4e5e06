import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Definition } from '@/components/editor/draft/draft'
import type { Issue } from '@/core/pipeline/issue'
import type { RehearsalPlan } from '@/core/rehearsal/plan'
import type { RehearsedPipeline, Shown } from './rehearser'
import { createStage, unansweredText, type Stage } from './stage'

/** The rehearsal of a definition in a world, while both are edited: the latest is what is answered. */

export type Rehearsing = {
  /** What was rehearsed last, while a newer one is on its way or refused; null: nothing yet. */
  readonly shown: Shown | null
  /** Of the last answer. */
  readonly pipeline: RehearsedPipeline | null
  /** What is wrong with the plan, at places in it. */
  readonly issues: readonly Issue[]
  /** Why it cannot be rehearsed at all; null: it can. */
  readonly trouble: string | null
  readonly busy: boolean
}

/** The canvas takes another object for another layout, and would fit it anew. */
const withSameLayout = (shown: Shown, before: Shown | null): Shown =>
  before !== null && JSON.stringify(before.layout) === JSON.stringify(shown.layout)
    ? { ...shown, layout: before.layout }
    : shown

export type RehearsingStore = StoreApi<Rehearsing> & {
  want(definition: Definition, plan: RehearsalPlan): void
  close(): void
}

type Wanted = { readonly definition: Definition; readonly plan: RehearsalPlan }

/** What nobody wants to know any more may go on for so long, in milliseconds: most answers come sooner. */
const PATIENCE_MS = 400

export function createRehearsing(stage: Stage = createStage(), patienceMs = PATIENCE_MS): RehearsingStore {
  const store = createStore<Rehearsing>(() => ({
    shown: null,
    pipeline: null,
    issues: [],
    trouble: null,
    busy: false,
  }))
  let next: Wanted | null = null
  let working = false
  let impatient: ReturnType<typeof setTimeout> | undefined

  async function work(): Promise<void> {
    if (working) return
    working = true
    store.setState({ busy: true })
    for (let wanted = next; wanted !== null; wanted = next) {
      next = null
      await answer(wanted)
      clearTimeout(impatient)
      impatient = undefined
    }
    working = false
    store.setState({ busy: false })
  }

  async function answer({ definition, plan }: Wanted): Promise<void> {
    const asked = await stage.ask(definition, { kind: 'rehearse', plan })
    if (!asked.ok) {
      if (asked.why !== 'dropped') store.setState({ trouble: unansweredText(asked.why), issues: [] })
      return
    }
    const { answer: found } = asked
    switch (found.kind) {
      case 'invalid':
        return store.setState({
          trouble: `The draft cannot run: ${found.issues[0]?.message ?? 'it has errors'}.`,
          issues: [],
        })
      case 'refused':
        return store.setState({ pipeline: found.pipeline, issues: found.issues, trouble: null })
      case 'rehearsed':
        return store.setState(({ shown: before }) => ({
          pipeline: found.shown.pipeline,
          shown: withSameLayout(found.shown, before),
          issues: [],
          trouble: null,
        }))
    }
  }

  return Object.assign(store, {
    want(definition: Definition, plan: RehearsalPlan) {
      next = { definition, plan }
      if (working) impatient ??= setTimeout(() => stage.drop(), patienceMs)
      void work()
    },
    close() {
      clearTimeout(impatient)
      next = null
      stage.drop()
    },
  })
}
