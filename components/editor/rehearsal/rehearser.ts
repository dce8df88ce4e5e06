import type { Definition } from '@/components/editor/draft/draft'
import { draw, type Drawing } from '@/components/graph/drawing'
import type { Entry, Event } from '@/core/engine/event'
import type { TimelinePipeline } from '@/core/engine/timeline/timeline'
import type { NodeView } from '@/core/engine/view/view'
import { compilePipeline, type CompiledNode, type CompiledPipeline } from '@/core/pipeline/definition/compile'
import { limits, type PipelineDefinition } from '@/core/pipeline/definition/definition'
import type { Issue } from '@/core/pipeline/issue'
import { validateDefinition } from '@/core/pipeline/check/validate'
import { readRehearsalCase, runRehearsalCase } from '@/core/rehearsal/case'
import type { RehearsalPlan } from '@/core/rehearsal/plan'
import { planOfRun } from '@/core/rehearsal/plan-of-run'
import { rehearse, type Rehearsal } from '@/core/rehearsal/rehearse'
import { taskCatalog } from '@/tasks/contracts'
import { tellIssue } from './tell-issue'

/** What is done in the worker: a definition is kept compiled, and rehearsed in one world after the other. */

export type RehearsedPipeline = Omit<TimelinePipeline, 'nodes'> & {
  readonly nodes: ReadonlyMap<
    string,
    Pick<
      CompiledNode,
      | 'id'
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

/** A rehearsal as a page shows it: what can be sent from a worker. */
export type Shown = Pick<Rehearsal, 'end' | 'summary' | 'nodes' | 'outputsRestOn' | 'refused' | 'endedAt'> & {
  readonly pipeline: RehearsedPipeline
  readonly layout: PipelineDefinition['layout']
  readonly drawing: Drawing
  /** Of each node what the page reads of it, and no outputs: a large answer would hold the page up as it arrives. */
  readonly view: {
    readonly nodes: { readonly [id: string]: Pick<NodeView, 'status' | 'skip_reason' | 'skip_cause'> }
  }
  readonly events: readonly Event[]
  /** When it started (milliseconds since the epoch). */
  readonly startedAt: number
}

export type Question = {
  /** null: that of the question before. */
  readonly definition: Definition | null
  readonly ask:
    | { readonly kind: 'rehearse'; readonly plan: unknown }
    | { readonly kind: 'case'; readonly value: unknown }
    | { readonly kind: 'run'; readonly entries: readonly Entry[] }
}

export type Answer =
  /** It cannot be run as it is. */
  | { readonly kind: 'invalid'; readonly issues: readonly Issue[] }
  | { readonly kind: 'rehearsed'; readonly shown: Shown }
  /** What is wrong with the plan; paths begin in the plan. */
  | { readonly kind: 'refused'; readonly pipeline: RehearsedPipeline; readonly issues: readonly Issue[] }
  /** What came otherwise than the case says, or why it could not be rehearsed; empty: it holds. */
  | { readonly kind: 'case'; readonly messages: readonly string[] }
  | { readonly kind: 'plan'; readonly plan: RehearsalPlan }
  /** No plan can say what happened to that run. */
  | { readonly kind: 'no_plan'; readonly message: string }

type Compiled =
  | { readonly ok: true; readonly pipeline: CompiledPipeline; readonly told: RehearsedPipeline }
  | { readonly ok: false; readonly issues: readonly Issue[] }

export function createRehearser(): (question: Question) => Answer {
  let compiled: Compiled = { ok: false, issues: [] }
  return ({ definition, ask }) => {
    if (definition !== null) compiled = compile(definition)
    if (!compiled.ok) return { kind: 'invalid', issues: compiled.issues }
    const { pipeline, told } = compiled
    switch (ask.kind) {
      case 'rehearse':
        return rehearsed(pipeline, told, ask.plan)
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
      const { definition: own, gateEvents, kind, task, child, estimateMs, outputNames } = node
      const isFinally = node.finally
      return [
        id,
        { id, definition: own, finally: isFinally, gateEvents, kind, task, child, estimateMs, outputNames },
      ]
    }),
  )
  return { ok: true, pipeline, told: { levels, listeners, successors, predecessors, nodes } }
}

function rehearsed(pipeline: CompiledPipeline, told: RehearsedPipeline, plan: unknown): Answer {
  const result = rehearse(pipeline, plan as RehearsalPlan)
  if (!result.ok) return { kind: 'refused', pipeline: told, issues: result.issues }
  const { entries, view, endedAt, end, summary, nodes, outputsRestOn, refused } = result.rehearsal
  const fates = Object.fromEntries(
    Object.entries(view.nodes).map(([id, { status, skip_reason, skip_cause }]) => [
      id,
      { status, skip_reason, skip_cause },
    ]),
  )
  return {
    kind: 'rehearsed',
    shown: {
      pipeline: told,
      layout: pipeline.definition.layout,
      drawing: atRest(draw(pipeline, view)),
      view: { nodes: fates },
      events: entries.map(({ event }) => event),
      startedAt: Date.parse(view.created_at),
      endedAt,
      end,
      summary,
      nodes,
      outputsRestOn,
      refused,
    },
  }
}

/** Time stands still at the end of a rehearsal: nobody can say how long what goes on there will have lasted. */
const atRest = (drawing: Drawing): Drawing => ({
  ...drawing,
  nodes: drawing.nodes.map((node) => ({
    ...node,
    wakeAt: null,
    startedAt: node.finishedAt === null ? null : node.startedAt,
  })),
})

function messagesOfCase(pipeline: CompiledPipeline, value: unknown): readonly string[] {
  const read = readRehearsalCase(value)
  if (!read.ok) return read.error.map(tellIssue)
  const result = runRehearsalCase(pipeline, read.value)
  return result.ok ? result.differences.map(({ message }) => message) : result.issues.map(tellIssue)
}
