import type { NodeDefinition } from './definition'
import type { Issue } from '@/core/pipeline/issue'
import type { NodeParts } from './node-parts'
import { unreadableNames } from './reserved'
import { nameHint } from './schema-issues'
import type { Nearest } from '@/core/pipeline/suggest'
import type { TaskCatalog, TaskDescription } from './task-description'

/** A node as far as it could be read. What is broken in it is absent; its issues say why. */
export type ReadNode = {
  index: number
  id: string | undefined
  node: Partial<NodeDefinition>
  parts: NodeParts
  contract: TaskDescription | undefined
  /** Of the task that undoes it; undefined: it names none, or none that is known. */
  compensation: TaskDescription | undefined
  /** Variables that it makes, or null when that cannot be known. */
  outputNames: readonly string[] | null
  /** What its schema, its id and its syntax have against it; paths begin inside the node. */
  issues: readonly Issue[]
  /** What the schema of its task has against its bindings; paths begin inside the node. */
  bindingIssues: readonly Issue[]
  /** Whatever publishes what it waits for, or has what it reads: nodes, `pipeline`, `system` and the like, each once. */
  sources: readonly string[]
  /** It reads a node for which its own gate does not wait by name: whether it waits is a matter of the whole graph. */
  readsAround: boolean
}

/** What the checks of one node may look at. */
export type ValidationContext = {
  nodes: readonly ReadNode[]
  /** The first node of each id. */
  byId: ReadonlyMap<string, ReadNode>
  inputNames: readonly string[]
  outputNames: readonly string[]
  /** Variables of the system that every run has from its start (N-4); `scheduled_at` where something schedules it (G-16). */
  systemVariables: readonly string[]
  phases: readonly string[] | null
  tasks: TaskCatalog
  /** Types that are switched off, each with the setting that turns it on. */
  disabledTasks: ReadonlyMap<string, string>
  /** Everything that publishes events or has variables: pipeline, system and the nodes. */
  sources: readonly string[]
  /** Suggestions, of which a document gets a limited number. */
  nearest: Nearest
  /** Whether the gate of a node waits for another node, directly or through others. */
  waitsFor: (id: string, ancestor: string) => boolean
}

/** Names of inputs, outputs and variables that CEL could not read. */
export function checkName(name: string, path: (string | number)[]): Issue[] {
  return unreadableNames.has(name)
    ? [
        {
          path,
          code: 'invalid_id',
          message: `'${name}' cannot be the name of a variable`,
          hint: nameHint,
          severity: 'error',
        },
      ]
    : []
}
