import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Definition } from '@/components/editor/model/draft/draft'
import type { Issue } from '@/core/pipeline/issue'
import type { RehearsalPlan } from '@/core/rehearsal/plan'
import type { RehearsedPipeline, Shown } from './rehearser'
import { noReplyText, type RehearserClient } from './rehearser-client'

/** The rehearsal of a definition by a plan while both are edited: the latest pair is rehearsed, those in between are skipped. */

export type LiveRehearsal = {
  /** The last rehearsal, also while a newer one is running or was refused; null: there was none yet. */
  readonly shown: Shown | null
  /** The pipeline of the last answer. */
  readonly pipeline: RehearsedPipeline | null
  /** What is wrong with the plan, at paths in it. */
  readonly issues: readonly Issue[]
  /** Why nothing can be rehearsed, as a sentence; null: it can. */
  readonly trouble: string | null
  readonly busy: boolean
}

/** The canvas fits the graph again when it gets another layout object. */
const withSameLayout = (shown: Shown, before: Shown | null): Shown =>
  before !== null && JSON.stringify(before.layout) === JSON.stringify(shown.layout)
    ? { ...shown, layout: before.layout }
    : shown

export type LiveRehearsalStore = StoreApi<LiveRehearsal> & {
  want(definition: Definition, plan: RehearsalPlan): void
  close(): void
}

type Wanted = { readonly definition: Definition; readonly plan: RehearsalPlan }

/** How long an outdated rehearsal may go on before it is cancelled, in milliseconds. Most end sooner. */
const OUTDATED_MS = 400

export function createLiveRehearsal(
  rehearser: RehearserClient,
  outdatedMs: number = OUTDATED_MS,
): LiveRehearsalStore {
  const store = createStore<LiveRehearsal>(() => ({
    shown: null,
    pipeline: null,
    issues: [],
    trouble: null,
    busy: false,
  }))
  let next: Wanted | null = null
  let working = false
  let cancelTimer: ReturnType<typeof setTimeout> | undefined

  async function work(): Promise<void> {
    if (working) return
    working = true
    store.setState({ busy: true })
    for (let wanted = next; wanted !== null; wanted = next) {
      next = null
      await rehearse(wanted)
      clearTimeout(cancelTimer)
      cancelTimer = undefined
    }
    working = false
    store.setState({ busy: false })
  }

  async function rehearse({ definition, plan }: Wanted): Promise<void> {
    const reply = await rehearser.ask(definition, { kind: 'rehearse', plan })
    if (!reply.ok) {
      if (reply.why !== 'dropped') store.setState({ trouble: noReplyText(reply.why), issues: [] })
      return
    }
    const { answer } = reply
    switch (answer.kind) {
      case 'invalid':
        return store.setState({
          trouble: `The draft cannot run: ${answer.issues[0]?.message ?? 'it has errors'}.`,
          issues: [],
        })
      case 'refused':
        return store.setState({ pipeline: answer.pipeline, issues: answer.issues, trouble: null })
      case 'rehearsed':
        return store.setState(({ shown: before }) => ({
          pipeline: answer.shown.pipeline,
          shown: withSameLayout(answer.shown, before),
          issues: [],
          trouble: null,
        }))
    }
  }

  return Object.assign(store, {
    want(definition: Definition, plan: RehearsalPlan) {
      next = { definition, plan }
      if (working) cancelTimer ??= setTimeout(() => rehearser.drop(), outdatedMs)
      void work()
    },
    close() {
      clearTimeout(cancelTimer)
      next = null
      rehearser.drop()
    },
  })
}
