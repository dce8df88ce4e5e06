import type { Definition } from '@/components/editor/model/draft/draft'
import { draw, type Drawing } from '@/components/graph/model/drawing'
import type { Entry, Event } from '@/core/engine/event'
import type { TimelinePipeline } from '@/core/engine/timeline/timeline'
import type { CheckView, ExecutionView, NodeView } from '@/core/engine/view/view'
import { cutText } from '@/core/pipeline/cut-text'
import { compilePipeline, type CompiledNode, type CompiledPipeline } from '@/core/pipeline/definition/compile'
import { limits, type PipelineDefinition } from '@/core/pipeline/definition/definition'
import type { Issue } from '@/core/pipeline/issue'
import { validateDefinition } from '@/core/pipeline/check/validate'
import { readRehearsalCase, runRehearsalCase } from '@/core/rehearsal/case'
import type { RehearsalPlan } from '@/core/rehearsal/plan'
import { planOfRun } from '@/core/rehearsal/plan-of-run'
import { rehearse, type RehearsedNode, type Rehearsal } from '@/core/rehearsal/rehearse'
import { taskCatalog } from '@/tasks/contracts'
import { issueText } from './issue-text'

/** The worker's part of rehearsals: it compiles a definition once, and rehearses it by one plan after the other. */

export type RehearsedPipeline = Omit<TimelinePipeline, 'nodes'> & {
  readonly nodes: ReadonlyMap<
    string,
    Pick<
      CompiledNode,
      | 'id'
      | 'demands'
      | 'definition'
      | 'finally'
      | 'gateEvents'
      | 'kind'
      | 'task'
      | 'child'
      | 'estimateMs'
      | 'outputNames'
    >
  >
}

/** A rehearsal as the page shows it. All of it can be sent from a worker. */
export type Shown = Pick<
  Rehearsal,
  'end' | 'summary' | 'nodes' | 'outputsRestOn' | 'checksRestOn' | 'refused' | 'endedAt'
> & {
  readonly pipeline: RehearsedPipeline
  readonly layout: PipelineDefinition['layout']
  readonly drawing: Drawing
  /** For each node only what the page reads, without outputs: a large answer would block the page when it arrives. */
  readonly view: {
    readonly checks: readonly CheckView[]
    readonly nodes: {
      readonly [id: string]: Pick<NodeView, 'status' | 'error' | 'skip_reason' | 'skip_cause'>
    }
    readonly error: ExecutionView['error']
    readonly handled_failures: number
  }
  /** For each node what it gave; of a large rehearsal those of the first nodes. */
  readonly values: { readonly [id: string]: readonly RehearsedValue[] }
  readonly events: readonly Event[]
  /** When it started (milliseconds since the epoch). */
  readonly startedAt: number
}

/** A value of a rehearsal, in short. */
export type RehearsedValue = { readonly name: string; readonly text: string; readonly madeUp: boolean }

export type Question = {
  /** null: the one of the question before. */
  readonly definition: Definition | null
  readonly ask:
    | { readonly kind: 'rehearse'; readonly plan: unknown }
    | { readonly kind: 'case'; readonly value: unknown }
    | { readonly kind: 'run'; readonly entries: readonly Entry[] }
}

export type Answer =
  /** The definition cannot run. */
  | { readonly kind: 'invalid'; readonly issues: readonly Issue[] }
  | { readonly kind: 'rehearsed'; readonly shown: Shown }
  /** The plan is wrong; paths start at the plan. */
  | { readonly kind: 'refused'; readonly pipeline: RehearsedPipeline; readonly issues: readonly Issue[] }
  /** How the rehearsal differed from the case, or why there was none; empty: the case passes. */
  | { readonly kind: 'case'; readonly messages: readonly string[] }
  | { readonly kind: 'plan'; readonly plan: RehearsalPlan }
  /** No plan can describe that run. */
  | { readonly kind: 'no_plan'; readonly message: string }

type Compiled =
  | { readonly ok: true; readonly pipeline: CompiledPipeline; readonly sent: RehearsedPipeline }
  | { readonly ok: false; readonly issues: readonly Issue[] }

export function createRehearser(): (question: Question) => Answer {
  let compiled: Compiled = { ok: false, issues: [] }
  return ({ definition, ask }) => {
    if (definition !== null) compiled = compile(definition)
    if (!compiled.ok) return { kind: 'invalid', issues: compiled.issues }
    const { pipeline, sent } = compiled
    switch (ask.kind) {
      case 'rehearse':
        return rehearsed(pipeline, sent, ask.plan)
      case 'case':
        return { kind: 'case', messages: messagesOfCase(pipeline, ask.value) }
      case 'run': {
        const planned = planOfRun(pipeline, ask.entries)
        return planned.ok
          ? { kind: 'plan', plan: planned.plan }
          : { kind: 'no_plan', message: planned.message }
      }
    }
  }
}

function compile(definition: Definition): Compiled {
  const read = validateDefinition(definition, { tasks: taskCatalog, maxNodes: limits.nodes })
  if (read.definition === undefined)
    return { ok: false, issues: read.issues.filter(({ severity }) => severity === 'error') }
  const result = compilePipeline(read.definition, { revision: 1, tasks: taskCatalog })
  if (!result.ok) return result
  const { pipeline } = result
  const { levels, listeners, successors, predecessors } = pipeline
  const nodes = new Map(
    [...pipeline.nodes].map(([id, node]) => {
      const { definition: own, gateEvents, kind, task, child, estimateMs, outputNames, demands } = node
      const isFinally = node.finally
      return [
        id,
        {
          ...{ id, definition: own, finally: isFinally, gateEvents, kind, task, child, estimateMs },
          ...{ outputNames, demands },
        },
      ]
    }),
  )
  return { ok: true, pipeline, sent: { levels, listeners, successors, predecessors, nodes } }
}

function rehearsed(pipeline: CompiledPipeline, sent: RehearsedPipeline, plan: unknown): Answer {
  const result = rehearse(pipeline, plan as RehearsalPlan)
  if (!result.ok) return { kind: 'refused', pipeline: sent, issues: result.issues }
  const { entries, view, endedAt, end, summary, nodes, outputsRestOn, checksRestOn, refused } =
    result.rehearsal
  const fates = Object.fromEntries(
    Object.entries(view.nodes).map(([id, { status, error, skip_reason, skip_cause }]) => [
      id,
      { status, error, skip_reason, skip_cause },
    ]),
  )
  return {
    kind: 'rehearsed',
    shown: {
      pipeline: sent,
      layout: pipeline.definition.layout,
      drawing: stopped(draw(pipeline, view), nodes),
      values: valuesOf(view, nodes),
      view: {
        nodes: fates,
        checks: view.checks,
        error: view.error,
        handled_failures: view.handled_failures,
      },
      events: entries.map(({ event }) => event),
      startedAt: Date.parse(view.created_at),
      endedAt,
      end,
      summary,
      nodes,
      outputsRestOn,
      checksRestOn,
      refused,
    },
  }
}

/** At the end of a rehearsal time stops: a node that still runs or waits has no duration. */
const stopped = (drawing: Drawing, fates: Rehearsal['nodes']): Drawing => ({
  ...drawing,
  nodes: drawing.nodes.map((node) => ({
    ...node,
    madeUp: isMadeUp(fates.get(node.id)),
    wakeAt: null,
    startedAt: node.finishedAt === null ? null : node.startedAt,
  })),
})

/** It gave values that nobody knows before a run, or did what it did because of such. */
const isMadeUp = (fate: RehearsedNode | undefined): boolean =>
  fate !== undefined && fate.status !== 'pending' && fate.invented.length + fate.restsOn.length > 0

/** Nodes whose values are sent, values of one node, and characters of one value. */
const MOST = { nodes: 500, values: 12, text: 200 } as const

/** What nodes gave, and what approvals asked, in short. What rests on a made-up value is one. */
function valuesOf({ nodes: views }: ExecutionView, fates: Rehearsal['nodes']): Shown['values'] {
  const ended = Object.entries(views).filter(
    ([, { outputs, approval }]) => outputs !== null || approval !== null,
  )
  return Object.fromEntries(
    ended.slice(0, MOST.nodes).map(([id, { outputs, approval }]) => {
      const { invented = [], restsOn = [] } = fates.get(id) ?? {}
      const question = approval === null ? [] : [['question', approval.message] as const]
      const named = [...question, ...Object.entries(outputs ?? {})]
      return [
        id,
        named.slice(0, MOST.values).map(([name, value]): RehearsedValue => {
          const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')
          const short = cutText(text, MOST.text)
          return {
            name,
            text: short === text ? text : `${short}…`,
            madeUp: restsOn.length > 0 || invented.includes(name),
          }
        }),
      ]
    }),
  )
}

function messagesOfCase(pipeline: CompiledPipeline, value: unknown): readonly string[] {
  const read = readRehearsalCase(value)
  if (!read.ok) return read.error.map(issueText)
  const result = runRehearsalCase(pipeline, read.value)
  return result.ok ? result.differences.map(({ message }) => message) : result.issues.map(issueText)
}
