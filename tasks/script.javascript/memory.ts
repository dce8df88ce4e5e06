import type { JsonObject } from '@/core/engine/event'
import { TaskFailure } from '@/tasks/support/task-failure'

const SCRIPT_MEMORY = { least: 1024 ** 2, usual: 256 * 1024 ** 2, most: 1024 ** 3 } as const

/**
 * Bytes that a script may use: its input `memory` (such as `64Mi`), by default 256 MiB.
 * `invalid_input` when it is no size or outside 1 MiB to 1 GiB.
 */
export function scriptMemory(input: JsonObject): number {
  const memory = input['memory']
  if (memory === undefined || memory === null) return SCRIPT_MEMORY.usual
  const mebibytes = /^([0-9]{1,4})Mi$/.exec(String(memory))?.[1]
  const bytes = Number(mebibytes) * 1024 ** 2
  if (!(bytes >= SCRIPT_MEMORY.least && bytes <= SCRIPT_MEMORY.most)) {
    throw new TaskFailure('invalid_input', 'memory must be between 1Mi and 1024Mi, for example 64Mi')
  }
  return bytes
}
