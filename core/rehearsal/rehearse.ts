import type { Entry, NodeError } from '@/core/engine/event'
import { viewOf } from '@/core/engine/view/project'
import { isTerminal, statusOf, type ExecutionState } from '@/core/engine/state'
import type { ExecutionStatus, ExecutionView, NodeStatus, WaitingFor } from '@/core/engine/view/view'
import { follow, newTimeline } from '@/core/engine/timeline/timeline'
import { waitingFor } from '@/core/engine/view/waiting-for'
import type { CompiledNode, CompiledPipeline } from '@/core/pipeline/definition/compile'
import type { Expression } from '@/core/pipeline/expression/types'
import type { Issue } from '@/core/pipeline/issue'
import { errorVariable } from '@/core/pipeline/definition/reserved'
import { templateExpressions } from '@/core/pipeline/expression/template'
import { capacitiesOf, readPlan, type Plan, type RehearsalPlan } from './plan'
import { VirtualRun, type Refused } from './virtual-run'
import { computes, type DurationSource } from './work'

export type RehearsedNode = {
  readonly status: NodeStatus
  /** Somebody completed it. */
  readonly byHand: boolean
  readonly attempts: number
  /** Milliseconds from the start of the rehearsal; null: it did not. */
  readonly startedAfter: number | null
  readonly finishedAfter: number | null
  readonly skipReason: string | null
  readonly error: NodeError | null
  readonly waitingFor: WaitingFor | null
  /** Where the time of its last attempt comes from; null: it had none, or the engine timed it. */
  readonly duration: DurationSource | null
  /** Its outputs that nobody knew. */
  readonly invented: readonly string[]
  /** Variables that its gate, its list or its input read and that are invented, or computed of such: what it did rests on them. */
  readonly restsOn: readonly string[]
}

export type RehearsalEnd =
  | { readonly kind: 'finished'; readonly status: ExecutionStatus }
  /** Nothing that the plan knows moves it on. */
  | {
      readonly kind: 'waits'
      readonly status: ExecutionStatus
      readonly nodes: readonly { readonly node: string; readonly for: WaitingFor }[]
    }
  | { readonly kind: 'stopped'; readonly status: ExecutionStatus; readonly events: number }

export type Rehearsal = {
  /** The journal that the run would have, with its virtual times. */
  readonly entries: readonly Entry[]
  readonly state: ExecutionState
  readonly view: ExecutionView
  /** When it ended or came to rest (milliseconds since the epoch). */
  readonly endedAt: number
  readonly end: RehearsalEnd
  /** The same in a sentence. */
  readonly summary: string
  readonly nodes: ReadonlyMap<string, RehearsedNode>
  /** The same of the outputs of the pipeline. */
  readonly outputsRestOn: readonly string[]
  /** The same of its checks. */
  readonly checksRestOn: readonly string[]
  /** The same of all of these together: what nodes that were reached, or outputs, read. The end is no more certain than that. */
  readonly restsOn: readonly string[]
  /** What of the plan the engine refused. */
  readonly refused: readonly Refused[]
}

export type Rehearsed =
  | { readonly ok: true; readonly rehearsal: Rehearsal }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/**
 * Runs a pipeline as the engine would, on a virtual clock, in a world that does what the plan says. The same plan gives the
 * same entries. Answers every issue of a plan that does not fit the pipeline (paths begin in the plan).
 */
export function rehearse(pipeline: CompiledPipeline, given: RehearsalPlan): Rehearsed {
  const read = readPlan(pipeline, given)
  if (!read.ok) return read
  const run = new VirtualRun(pipeline, read.plan)
  run.play()
  const { state, entries, refused } = run
  const endedAt = state.closedAt ?? run.now
  const estimates = new Map(Object.entries(read.plan.history).map(([id, p50]) => [id, { p50, p90: null }]))
  const timeline = newTimeline(pipeline)
  for (const entry of entries) follow(timeline, entry)
  const end = endOf(run)
  const { unsure, rests } = restsOfNodes(pipeline, run, read.plan)
  const outputs = [...pipeline.outputs.values()].flatMap(({ template }) => templateExpressions(template))
  const nodes = nodesOf(run, rests, read.plan.startAt)
  const reached = [...nodes.values()].flatMap(({ status, restsOn }) => (status === 'pending' ? [] : restsOn))
  const unsureOf = (expressions: readonly Expression[]) =>
    namesOf(expressions).filter((name) => unsure.has(name))
  const outputsRestOn = unsureOf(outputs)
  const checksRestOn = unsureOf(pipeline.verify.map(({ expression }) => expression))
  const rehearsal: Rehearsal = {
    entries,
    state,
    view: viewOf(state, endedAt, { estimates, timeline, capacities: capacitiesOf(read.plan) }),
    endedAt,
    end,
    summary: summaryOf(end),
    nodes,
    outputsRestOn,
    checksRestOn,
    restsOn: [...new Set([...reached, ...outputsRestOn, ...checksRestOn])],
    refused,
  }
  return { ok: true, rehearsal }
}

function endOf({ state, stopped, happened }: VirtualRun): RehearsalEnd {
  const status = statusOf(state)
  if (state.closedAt !== null) return { kind: 'finished', status }
  if (stopped) return { kind: 'stopped', status, events: happened }
  const nodes = [...state.nodes].flatMap(([node, { status: own }]) => {
    const waits = isTerminal(own) ? null : waitingFor(state, node)
    return waits === null ? [] : [{ node, for: waits }]
  })
  return { kind: 'waits', status, nodes }
}

function summaryOf(end: RehearsalEnd): string {
  switch (end.kind) {
    case 'finished':
      return `the run is ${end.status}`
    case 'stopped':
      return `stopped after ${end.events} events; the run is ${end.status}`
    case 'waits': {
      // Those that wait for others are not what it is about.
      const causes = end.nodes.filter(({ for: { kind } }) => kind !== 'nodes')
      return causes.map(({ node, for: { text } }) => `${node} ${text}`).join('; ')
    }
  }
}

/** Invented outputs that a node left behind: of an attempt that did not complete there are none. */
const inventedBy = (run: VirtualRun, node: string): readonly string[] =>
  run.state.nodes.get(node)?.status === 'completed' && !isByHand(run, node)
    ? [...(run.invented.get(node) ?? [])]
    : []

function nodesOf(
  run: VirtualRun,
  rests: ReadonlyMap<string, readonly string[]>,
  startAt: number,
): ReadonlyMap<string, RehearsedNode> {
  const { state, sources } = run
  const after = (at: number | null) => (at === null ? null : at - startAt)
  const nodes = new Map<string, RehearsedNode>()
  for (const [id, node] of state.nodes) {
    nodes.set(id, {
      status: node.status,
      byHand: isByHand(run, id),
      attempts: node.attempts,
      startedAfter: after('startedAt' in node ? node.startedAt : null),
      finishedAfter: after('finishedAt' in node ? node.finishedAt : null),
      skipReason: node.status === 'skipped' ? node.reason : null,
      error: node.status === 'failed' ? node.error : null,
      waitingFor: isTerminal(node.status) ? null : waitingFor(state, id),
      duration: sources.get(id) ?? null,
      invented: inventedBy(run, id),
      restsOn: rests.get(id) ?? [],
    })
  }
  return nodes
}

/**
 * Variables of which nobody knows what they would be in a run: those that were invented, and what was computed of them. Answers
 * what each node read of them.
 */
function restsOfNodes(
  pipeline: CompiledPipeline,
  run: VirtualRun,
  plan: Plan,
): { readonly unsure: ReadonlySet<string>; readonly rests: ReadonlyMap<string, readonly string[]> } {
  const unsure = new Set<string>()
  const rests = new Map<string, readonly string[]>()
  for (const id of pipeline.levels.flat()) {
    const node = pipeline.nodes.get(id)!
    const own = readsOf(node).filter((name) => unsure.has(name))
    rests.set(id, own)
    for (const name of inventedBy(run, id)) unsure.add(`${id}.${name}`)
    if (own.length > 0 && computes(node, plan) && !isByHand(run, id))
      for (const name of [...node.outputNames, errorVariable]) unsure.add(`${id}.${name}`)
  }
  return { unsure, rests }
}

/** A person gave its outputs. */
function isByHand({ state }: VirtualRun, id: string): boolean {
  const node = state.nodes.get(id)
  return node?.status === 'completed' && node.byHand !== null
}

/** Variables that decide whether a node starts, how often, with which input, and what it makes of it; each once. */
function readsOf({ gateConditions, bindings, forEach, outputVariables }: CompiledNode): readonly string[] {
  const expressions = [...gateConditions]
  for (const template of outputVariables?.values() ?? []) templateExpressions(template, expressions)
  templateExpressions(bindings, expressions)
  if (forEach !== null) templateExpressions(forEach.items, expressions)
  return namesOf(expressions)
}

const namesOf = (expressions: readonly Expression[]): readonly string[] => [
  ...new Set(expressions.flatMap(({ reads }) => reads.map(({ name }) => name))),
]
