import { createStore, type StoreApi } from 'zustand/vanilla'
import { isDecision } from '@/core/engine/state'
import { eventTypeOf, isExternal } from '@/core/pipeline/gate/event-type'
import { isRecord } from '@/core/pipeline/json'
import type { RehearsalPlan } from '@/core/rehearsal/plan'
import type { RehearsedPipeline } from './rehearser'

/** The scenario by which a pipeline is rehearsed, as the page edits it: a plan that holds only what differs from the usual. */

export type NodePlans = NonNullable<RehearsalPlan['nodes']>
export type NodePlan = NodePlans[string]
export type Decision = NonNullable<RehearsalPlan['approvals']>[string][number]
export type ExternalEvent = NonNullable<RehearsalPlan['events']>[number]

export type Scenario = {
  readonly plan: RehearsalPlan
  /** The case that is open: its index among the cases of the draft, and its name. */
  readonly opened: { readonly at: number; readonly name: string } | null
  /** Where durations come from: `medians` or the id of an execution; null: from estimates. */
  readonly durations: string | null
}

export type ChangeScenario = (edit: (plan: RehearsalPlan) => RehearsalPlan) => void

export type ScenarioStore = StoreApi<Scenario> & {
  readonly change: ChangeScenario
}

export function createScenario(): ScenarioStore {
  const store = createStore<Scenario>(() => ({ plan: {}, opened: null, durations: null }))
  return Object.assign(store, {
    change: (edit: (plan: RehearsalPlan) => RehearsalPlan) =>
      store.setState(({ plan }) => ({ plan: tidy(edit(plan)) })),
  })
}

/** A plan without its absent members, and without empty ones that mean the same. */
export function tidy(plan: RehearsalPlan): RehearsalPlan {
  const nodes = Object.entries(plan.nodes ?? {})
    .map(([id, own]) => [id, withoutAbsent(own)] as const)
    .filter(([, own]) => !isEmpty(own))
  const approvals = Object.entries(plan.approvals ?? {}).filter(([, decisions]) => decisions.length > 0)
  const whole = {
    ...plan,
    nodes: Object.fromEntries(nodes),
    approvals: Object.fromEntries(approvals),
  }
  return Object.fromEntries(Object.entries(whole).filter(([, value]) => !isEmpty(value)))
}

function isEmpty(value: unknown): boolean {
  if (value === undefined) return true
  if (Array.isArray(value)) return value.length === 0
  return isRecord(value) && Object.keys(value).length === 0
}

type Absent<T> = { readonly [Key in keyof T]?: T[Key] | undefined }

/** The object without its undefined members. */
export function withoutAbsent<T extends object>(value: { readonly [Key in keyof T]: T[Key] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}

/** Changes what is planned for a node; undefined removes a member. */
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

/** Removes everything that is planned for a node. */
export const withoutNode =
  (id: string) =>
  (plan: RehearsalPlan): RehearsalPlan => {
    const { [id]: _node, ...nodes } = plan.nodes ?? {}
    const { [id]: _decisions, ...approvals } = plan.approvals ?? {}
    return { ...plan, nodes, approvals }
  }

/** Changes when an external event arrives and its payload; null: it does not arrive. Of several of one type the first is changed. */
export const withEvent =
  (type: string, change: Absent<Omit<ExternalEvent, 'type'>> | null) =>
  (plan: RehearsalPlan): RehearsalPlan => {
    const events = plan.events ?? []
    const at = events.findIndex((event) => event.type === type)
    if (change === null) return { ...plan, events: events.filter((_, index) => index !== at) }
    const event = withoutAbsent<ExternalEvent>({ ...events[at], type, ...change })
    return { ...plan, events: at < 0 ? [...events, event] : events.with(at, event) }
  }

/** Replaces the usual durations, and removes what the nodes did in the run that the scenario began with. */
export const withHistory =
  (history: NonNullable<RehearsalPlan['history']>) =>
  ({ startAt: _at, executionId: _id, scheduledAt: _scheduled, ...plan }: RehearsalPlan): RehearsalPlan => ({
    ...plan,
    nodes: Object.fromEntries(
      Object.entries(plan.nodes ?? {}).map(([id, { attempts: _attempts, ...own }]) => [id, own]),
    ),
    history,
  })

/** A plan without the nodes that the pipeline does not have, for a plan that comes from a run of another revision. */
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

/** Types of the external events that gates wait for, each once, in the order of the nodes. */
export function externalEvents({ nodes }: Pick<RehearsedPipeline, 'nodes'>): readonly string[] {
  const decided = (type: string) => {
    const { node, word } = eventTypeOf(type)
    return nodes.get(node)?.kind === 'approval' && isDecision(word)
  }
  const types = [...nodes.values()].flatMap(({ gateEvents }) =>
    gateEvents.filter((type) => isExternal(type) && !decided(type)),
  )
  return [...new Set(types)]
}

/** The text for a node that repeats what it did in the run that the scenario began with. */
export const AS_IN_RUN = 'as in the run'

/** What is planned for a node, in a few words. */
export function plannedText(plan: RehearsalPlan, id: string): string {
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
  if (own?.byHand !== undefined) parts.push('is completed by hand')
  if (own?.duration === null) parts.push('never ends by itself')
  else if (own?.duration !== undefined) parts.push(`takes ${spelt(own.duration)}`)
  if (own?.outputs !== undefined) parts.push('gives outputs')
  if (own?.attempts !== undefined && own.failure === undefined) parts.push(AS_IN_RUN)
  return parts.join(', ')
}

const spelt = (duration: string | number): string =>
  typeof duration === 'number' ? `${duration} ms` : duration
