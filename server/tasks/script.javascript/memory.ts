import type { JsonObject } from '@/core/engine/event'
import { TaskFailure } from '@/server/tasks/task-failure'

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  K: 1000,
  Ki: 1024,
  M: 1000 ** 2,
  Mi: 1024 ** 2,
  G: 1000 ** 3,
  Gi: 1024 ** 3,
}

export const SCRIPT_MEMORY = { least: 1024 ** 2, usual: 256 * 1024 ** 2, most: 1024 ** 3 } as const

/**
 * Bytes that a script may use: its input `memory` (a number of bytes, or text such as `64Mi`), by default 256 MiB.
 * `invalid_input` when it is no size or outside 1 MiB to 1 GiB.
 */
export function scriptMemory(input: JsonObject): number {
  const memory = input['memory']
  if (memory === undefined || memory === null) return SCRIPT_MEMORY.usual
  const match = /^([0-9]{1,10})(K|Ki|M|Mi|G|Gi)?$/.exec(String(memory))
  const bytes = match ? Number(match[1]) * (UNITS[match[2] ?? ''] ?? 1) : NaN
  if (!(bytes >= SCRIPT_MEMORY.least && bytes <= SCRIPT_MEMORY.most)) {
    throw new TaskFailure('invalid_input', 'memory must be between 1Mi and 1Gi, for example 64Mi')
  }
  return bytes
}
