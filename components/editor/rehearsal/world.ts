import { createStore, type StoreApi } from 'zustand/vanilla'
import { isRecord } from '@/core/pipeline/json'
import type { RehearsalPlan } from '@/core/rehearsal/plan'
import type { RehearsedPipeline } from './rehearser'

/** The world in which a pipeline is rehearsed, as it is put together on the page: a plan, of which only what differs is said. */

export type NodePlans = NonNullable<RehearsalPlan['nodes']>
export type NodePlan = NodePlans[string]
export type Decision = NonNullable<RehearsalPlan['approvals']>[string][number]
export type OutsideEvent = NonNullable<RehearsalPlan['events']>[number]

export type World = {
  readonly plan: RehearsalPlan
  /** The case that is open: its place among those of the draft, and what it is called there. */
  readonly opened: { readonly at: number; readonly name: string } | null
  /** Where the durations come from, in words; null: from estimates. */
  readonly durations: string | null
}

export type ChangeWorld = (edit: (plan: RehearsalPlan) => RehearsalPlan) => void

export type WorldStore = StoreApi<World> & {
  readonly change: ChangeWorld
}

export function createWorld(): WorldStore {
  const store = createStore<World>(() => ({ plan: {}, opened: null, durations: null }))
  return Object.assign(store, {
    change: (edit: (plan: RehearsalPlan) => RehearsalPlan) =>
      store.setState(({ plan }) => ({ plan: tidy(edit(plan)) })),
  })
}

/** A plan without what says nothing: absent members, and empty ones where those mean the same. */
export function tidy(plan: RehearsalPlan): RehearsalPlan {
  const nodes = Object.entries(plan.nodes ?? {})
    .map(([id, own]) => [id, withoutAbsent(own)] as const)
    .filter(([, own]) => !isNothing(own))
  const approvals = Object.entries(plan.approvals ?? {}).filter(([, decisions]) => decisions.length > 0)
  const whole = {
    ...plan,
    nodes: Object.fromEntries(nodes),
    approvals: Object.fromEntries(approvals),
  }
  return Object.fromEntries(Object.entries(whole).filter(([, value]) => !isNothing(value)))
}

function isNothing(value: unknown): boolean {
  if (value === undefined) return true
  if (Array.isArray(value)) return value.length === 0
  return isRecord(value) && Object.keys(value).length === 0
}

type Absent<T> = { readonly [Key in keyof T]?: T[Key] | undefined }

/** The same without its absent members: a plan says only what it says. */
export function withoutAbsent<T extends object>(value: { readonly [Key in keyof T]: T[Key] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}

/** What is planned of a node, with some of it otherwise; undefined takes a member away. */
export const withNode =
  (id: string, change: Absent<NodePlan>) =>
  (plan: RehearsalPlan): RehearsalPlan => ({
    ...plan,
    nodes: { ...plan.nodes, [id]: { ...plan.nodes?.[id], ...change } as NodePlan },
  })

export const withDecisions =
  (id: string, decisions: readonly Decision[]) =>
  (plan: RehearsalPlan): RehearsalPlan => ({
    ...plan,
    approvals: { ...plan.approvals, [id]: [...decisions] },
  })

/** Nothing is planned of a node any more. */
export const withoutNode =
  (id: string) =>
  (plan: RehearsalPlan): RehearsalPlan => {
    const { [id]: _node, ...nodes } = plan.nodes ?? {}
    const { [id]: _decisions, ...approvals } = plan.approvals ?? {}
    return { ...plan, nodes, approvals }
  }

/** An event from outside: when it comes and what it brings; null: it does not come. Of one type the first is meant. */
export const withEvent =
  (type: string, change: Absent<Omit<OutsideEvent, 'type'>> | null) =>
  (plan: RehearsalPlan): RehearsalPlan => {
    const events = plan.events ?? []
    const at = events.findIndex((event) => event.type === type)
    if (change === null) return { ...plan, events: events.filter((_, index) => index !== at) }
    const event = withoutAbsent<OutsideEvent>({ ...events[at], type, ...change })
    return { ...plan, events: at < 0 ? [...events, event] : events.with(at, event) }
  }

/** With other usual durations, and without what the nodes did in a run with which the world began. */
export const withHistory =
  (history: NonNullable<RehearsalPlan['history']>) =>
  ({ startAt: _at, executionId: _id, scheduledAt: _scheduled, ...plan }: RehearsalPlan): RehearsalPlan => ({
    ...plan,
    nodes: Object.fromEntries(
      Object.entries(plan.nodes ?? {}).map(([id, { attempts: _attempts, ...own }]) => [id, own]),
    ),
    history,
  })

/** A plan without the nodes that the pipeline does not have: that of a run of another revision. */
export function fittedTo(plan: RehearsalPlan, { nodes }: Pick<RehearsedPipeline, 'nodes'>): RehearsalPlan {
  const known = <T>(members: { readonly [id: string]: T } | undefined) =>
    Object.fromEntries(Object.entries(members ?? {}).filter(([id]) => nodes.has(id)))
  return tidy({
    ...plan,
    nodes: known(plan.nodes),
    approvals: known(plan.approvals),
    history: known(plan.history),
  })
}

/** Types of events from outside that gates wait for, each once, in the order of the nodes. */
export function outsideEvents({ nodes }: Pick<RehearsedPipeline, 'nodes'>): readonly string[] {
  const decided = (type: string) => {
    const [, id, word] = type.split('.')
    return nodes.get(id ?? '')?.kind === 'approval' && (word === 'approved' || word === 'rejected')
  }
  const types = [...nodes.values()].flatMap(({ gateEvents }) =>
    gateEvents.filter((type) => type.startsWith('external.') && !decided(type)),
  )
  return [...new Set(types)]
}

/** Of a node that does what it did in the run with which the world began. */
export const AS_IN_RUN = 'as in the run'

/** What is planned of a node, in a few words. */
export function tellPlanned(plan: RehearsalPlan, id: string): string {
  const own = plan.nodes?.[id]
  const decisions = plan.approvals?.[id] ?? []
  const parts = decisions.map(({ decision, after }) =>
    after === undefined || after === '' || after === 0 ? decision : `${decision} after ${spelt(after)}`,
  )
  if (own?.failure !== undefined) {
    const { attempts = 'all', kind } = own.failure
    const word = kind === 'lost' ? 'is lost' : 'fails'
    parts.push(attempts === 'all' ? word : `${word} ${attempts === 1 ? 'once' : `${attempts} times`}`)
  }
  if (own?.duration === null) parts.push('never ends by itself')
  else if (own?.duration !== undefined) parts.push(`takes ${spelt(own.duration)}`)
  if (own?.outputs !== undefined) parts.push('gives outputs')
  if (own?.attempts !== undefined && own.failure === undefined) parts.push(AS_IN_RUN)
  return parts.join(', ')
}

const spelt = (duration: string | number): string =>
  typeof duration === 'number' ? `${duration} ms` : duration
