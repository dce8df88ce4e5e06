import type { NodeDefinition, PipelineDefinition } from './definition'
import type { Edge } from './graph'
import type { Issue } from './issue'
import type { StartWhen } from './start-when'
import type { TaskCatalog, TaskDescription } from './task-description'
import type { Template } from './template'

/** A node, ready to run: every expression parsed, every duration in milliseconds, every default filled in. */
export type CompiledNode = {
  id: string
  definition: NodeDefinition
  kind: 'task' | 'approval' | 'wait'
  task: string
  contract: TaskDescription
  gate: StartWhen
  /** Event types of the gate's atoms, each once. */
  gateEvents: readonly string[]
  /** Template of the inputBindings object (kind `map`). */
  bindings: Template
  /** null: every output of the task, by its name. Its templates see the local `result`. */
  outputVariables: ReadonlyMap<string, Template> | null
  phase: string
  timeoutMs: number | null
  startTimeoutMs: number | null
  estimateMs: number | null
  priority: number
  allowFailure: boolean
  finally: boolean
  onLost: 'retry' | 'fail'
}

export type CompiledPipeline = {
  definition: PipelineDefinition
  revision: number
  failFast: boolean
  priority: number
  /** In the order of the definition. */
  nodes: ReadonlyMap<string, CompiledNode>
  /** Event type → nodes whose gate has that atom. */
  listeners: ReadonlyMap<string, readonly string[]>
  /** Node → nodes whose gate conditions name it. */
  conditionReaders: ReadonlyMap<string, readonly string[]>
  levels: readonly (readonly string[])[]
  edges: readonly Edge[]
  successors: ReadonlyMap<string, readonly string[]>
  predecessors: ReadonlyMap<string, readonly string[]>
  finallyNodes: readonly string[]
  outputs: ReadonlyMap<string, { template: Template; required: boolean }>
}

export declare function compilePipeline(
  definition: PipelineDefinition,
  options: { revision: number; tasks: TaskCatalog },
): { ok: true; pipeline: CompiledPipeline } | { ok: false; issues: Issue[] }
