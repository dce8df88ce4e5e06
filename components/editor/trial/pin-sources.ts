import type { Definition } from '@/components/editor/model/draft/draft'
import { nodesOf } from '@/components/editor/model/flow'
import type { JsonObject } from '@/core/engine/event'
import { findJsonFault, isRecord } from '@/core/pipeline/json'
import { readTypedJson } from '@/core/pipeline/json-text'
import { contractOf } from '@/core/pipeline/definition/node-parts'
import { taskCatalog } from '@/tasks/contracts'
import { inputsOver } from './trial'
import { INPUTS } from './trial-store'
import type { useTrial } from './use-trial'

/** Where values to pin can be taken from. */
export type Source = {
  readonly label: string
  readonly outputs: JsonObject
  /** Executions whose artifacts they name. */
  readonly executions: readonly string[]
}

/** With what the pinned data of a node (or the inputs) begin to be edited, and what they can be taken from. */
export function valuesOf(
  root: string,
  { pins, tried, lastRun }: Pick<ReturnType<typeof useTrial>, 'pins' | 'tried' | 'lastRun'>,
  definition: Definition,
): { start: Source; sources: readonly Source[] } {
  const pinned = pins.get(root)
  const ran = root === INPUTS ? lastRun?.inputs : lastRun?.nodes.get(root)?.outputs
  const run: Source | null =
    ran === undefined || lastRun === null
      ? null
      : { label: 'From the last run', outputs: ran, executions: [lastRun.run] }
  const last = tried.get(root)
  const attempt: Source | null =
    last?.answer.status === 'completed' ? { label: 'From the last try', ...last } : null
  const blank: Source = {
    label: 'Blank',
    outputs: root === INPUTS ? inputsOver(definition, null) : blankOf(root, definition),
    executions: [],
  }
  const start: Source = pinned === undefined ? (attempt ?? run ?? blank) : { label: 'Pinned', ...pinned }
  return { start, sources: [attempt, run].filter((source) => source !== null) }
}

/** The names that a node is known to give, without values. */
function blankOf(id: string, definition: Definition): JsonObject {
  const node = nodesOf(definition).find((one) => one.id === id)
  const own = node?.['outputVariables']
  const task = node?.['task']
  const contract = typeof task === 'string' ? contractOf({ task }, taskCatalog) : undefined
  const names = Object.keys(isRecord(own) ? own : (contract?.output ?? {}))
  return Object.fromEntries(names.map((name) => [name, null]))
}

/** Values by name out of a text, or why they are none. */
export function readValues(
  text: string,
): { readonly ok: true; readonly values: JsonObject } | { readonly ok: false; readonly fault: string } {
  const read = readTypedJson(text)
  if (!read.ok) return { ok: false, fault: read.error }
  const { value } = read
  if (!isRecord(value))
    return { ok: false, fault: 'Enter an object with a value for each name, such as { "rows": [ … ] }.' }
  const found = findJsonFault(value)
  if (found !== null) return { ok: false, fault: `${found.path.join('.')}: ${found.message}.` }
  return { ok: true, values: value as JsonObject }
}
