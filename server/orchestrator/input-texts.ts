import type { Json, ValueRef } from '@/core/engine/event'
import { jsonBytes } from '@/core/engine/json-bytes'
import type { ExecutionState } from '@/core/engine/state'
import { cutText } from '@/core/pipeline/cut-text'

const INPUT = 'pipeline.input.'
/** More are left out: a list only has to tell runs from each other. */
const MOST_INPUTS = 20
const LONGEST_TEXT = 80

/** The inputs of a run as lists show them, each a short text; what is long is cut and ends with `…`. Its costs do not grow with the values. */
export function inputTexts(state: Pick<ExecutionState, 'variables'>): Record<string, string> {
  const texts: [string, string][] = []
  for (const [name, { value, ref }] of state.variables) {
    if (!name.startsWith(INPUT)) continue
    texts.push([name.slice(INPUT.length), textOf(value, ref)])
    if (texts.length === MOST_INPUTS) break
  }
  return Object.fromEntries(texts)
}

function textOf(value: Json, ref: ValueRef | undefined): string {
  if (ref !== undefined) return `${ref.bytes} bytes`
  if (typeof value === 'string') return cut(value)
  if (jsonBytes(value, 4 * LONGEST_TEXT) <= 4 * LONGEST_TEXT) return cut(JSON.stringify(value))
  return Array.isArray(value)
    ? countText(value.length, 'item')
    : countText(Object.keys(value as object).length, 'field')
}

function cut(text: string): string {
  return text.length > LONGEST_TEXT ? `${cutText(text, LONGEST_TEXT - 1)}…` : text
}

const countText = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
