import { LIMITS, type Json, type NodeError } from '@/core/engine/event'
import { isDeeper } from '@/core/pipeline/json'
import type { ProducedFile } from '@/server/ports/runner'
import { boundMessage } from './task-failure'

/** What a task gives back: JSON, and files where its type declares them. */
export type TaskOutputs = Record<string, Json | ProducedFile>

/** Deepest nesting of an output: what reads it later may recurse. */
export const MOST_LEVELS = 100

export const OUTPUT_LIMITS = {
  /** Bytes of one output as JSON. */
  one: LIMITS.largeVariableBytes,
  /** Bytes of all outputs of an attempt as JSON. */
  all: LIMITS.nodeLargeBytes,
} as const

/** `1.5 MB`, for people. */
export function sayBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`
  const unit = bytes < 1024 ** 3 ? { size: 1024 ** 2, name: 'MB' } : { size: 1024 ** 3, name: 'GB' }
  return `${(bytes / unit.size).toFixed(1).replace('.0', '')} ${unit.name}`
}

/** Says what is wrong with the outputs of a task (not JSON, or too large), or null when nothing is. */
export function outputError(outputs: TaskOutputs): NodeError | null {
  let all = 0
  for (const name of Object.keys(outputs)) {
    let json: string | undefined
    try {
      json = JSON.stringify(outputs[name])
    } catch (thrown) {
      // So deep that writing it exhausts the stack.
      if (thrown instanceof RangeError && isDeeper(outputs[name], MOST_LEVELS)) return tooDeep(name)
      const why = thrown instanceof Error ? thrown.message : String(thrown)
      return {
        kind: 'task_failed',
        message: boundMessage(`output ${name} cannot be written as JSON: ${why}`),
      }
    }
    if (json === undefined) {
      return { kind: 'task_failed', message: boundMessage(`output ${name} cannot be written as JSON`) }
    }
    if (isDeeper(outputs[name], MOST_LEVELS)) return tooDeep(name)
    const bytes = Buffer.byteLength(json)
    all += bytes
    if (bytes > OUTPUT_LIMITS.one) return tooLarge(`output ${name}`, bytes, OUTPUT_LIMITS.one, name)
    if (all > OUTPUT_LIMITS.all) return tooLarge('the outputs together', all, OUTPUT_LIMITS.all, null)
  }
  return null
}

function tooDeep(name: string): NodeError {
  return {
    kind: 'task_failed',
    message: boundMessage(`output ${name} is nested deeper than ${MOST_LEVELS} levels`),
  }
}

function tooLarge(what: string, bytes: number, limit: number, output: string | null): NodeError {
  const advice =
    output === 'rows'
      ? 'set format to get the whole result as an artifact'
      : 'write large data as an artifact'
  return {
    kind: 'output_too_large',
    message: boundMessage(
      `${what}: ${sayBytes(bytes)} where ${sayBytes(limit)} are allowed (${bytes} of ${limit} bytes); ${advice}`,
    ),
    detail: { output, bytes, limit },
  }
}
