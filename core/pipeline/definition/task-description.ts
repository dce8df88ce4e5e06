import { z } from 'zod'
import { jsonValue } from '@/core/pipeline/json-value'
import type { Json } from '@/core/pipeline/json'
import { NOTHING_DEMANDED, type Demand } from './demand'

/** What a task that only computes comes to: its outputs, or why it failed. */
export type Computed =
  | { readonly ok: true; readonly outputs: { readonly [name: string]: Json } }
  | { readonly ok: false; readonly error: { readonly kind: string; readonly message: string } }

/**
 * What the language must know about a task type: its inputs, its outputs and where it runs.
 * The full contracts extend this (tasks/TYPE/contract.ts); callers that compile a pipeline pass in their catalog.
 */
export type TaskDescription = {
  type: string
  input: z.ZodType
  output: Readonly<Record<string, { type: string; description: string }>>
  /** The outputs are the keys of the node's inputBindings (task `set`). */
  openOutputs?: boolean
  /** Inputs that are taken verbatim: `{{ }}` in them is not evaluated (source code of scripts). */
  literalInputs?: readonly string[]
  /**
   * The input that is a command with its arguments. It is written out in the definition, word for word: an expression may fill
   * an argument, but neither name the program nor change how many arguments there are.
   */
  argvInput?: string
  /** The input that takes files: one, or several by name, each of which may be a list of them. */
  takesFiles?: { readonly input: string; readonly many: boolean }
  /** engine: done by the engine itself, never dispatched. server: in the server process. child: in a child process. */
  placement: 'engine' | 'server' | 'child'
  /** Does its work, with these bindings as they are written, change something outside of the run? Absent: it does not. */
  hasEffect?: (bindings: Readonly<Record<string, unknown>>) => boolean
  /** What a running attempt holds of the pools. */
  demands: readonly Demand[]
  /**
   * For a task whose result depends on its resolved input alone (set, noop, log, fail): that result. The task's run and the
   * rehearsal call this same function, so they agree.
   */
  compute?: (input: Readonly<Record<string, unknown>>) => Computed
  /** `compute` is all that the task does: it writes nothing and calls nobody, so that it needs no worker. */
  pure?: boolean
}

/** Task types by name. */
export type TaskCatalog = ReadonlyMap<string, TaskDescription>

/**
 * What a node that runs another pipeline looks like to the engine: its bindings are the inputs of the child, its outputs are the
 * child's, known when it runs. The engine starts the child itself and waits for its end, which demands nothing.
 */
export const subPipeline: TaskDescription = {
  type: 'pipeline',
  input: z.record(z.string(), jsonValue),
  output: {},
  placement: 'engine',
  hasEffect: () => true,
  demands: NOTHING_DEMANDED,
}
