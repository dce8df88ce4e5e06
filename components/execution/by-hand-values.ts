import type { Json } from '@/core/pipeline/json'
import { readTypedJson } from '@/core/pipeline/json-text'

/** What people type for the outputs of a node, by name. */
export type TypedOutputs = ReadonlyMap<string, string>

/** What a field expects, in a few words. Types are those of tasks; of a forEach every output is a list. */
export function formatOf(type: string): string {
  switch (type) {
    case 'string':
      return 'Text'
    case 'number':
      return 'A number'
    case 'boolean':
      return 'true or false'
    case 'array':
      return 'A JSON list: [ … ]'
    case 'object':
      return 'A JSON object: { … }'
    case 'file':
      return 'A file of a run as JSON: { "artifact_id": "…" }'
    default:
      return 'JSON, or text'
  }
}

/** The values of what was typed; of a field that is left empty null. Or what is wrong, by field. The server checks them again. */
export function outputsOf(
  expected: ReadonlyMap<string, string>,
  typed: TypedOutputs,
):
  | { readonly ok: true; readonly outputs: Record<string, Json> }
  | { readonly ok: false; readonly problems: ReadonlyMap<string, string> } {
  const problems = new Map<string, string>()
  const outputs: [string, Json][] = []
  for (const [name, type] of expected) {
    const text = typed.get(name) ?? ''
    const read = text.trim() === '' ? { ok: true as const, value: null } : valueOf(type, text)
    if (read.ok) outputs.push([name, read.value])
    else problems.set(name, read.error)
  }
  return problems.size > 0 ? { ok: false, problems } : { ok: true, outputs: Object.fromEntries(outputs) }
}

function valueOf(type: string, text: string): ReturnType<typeof readTypedJson> {
  if (type === 'string') return { ok: true, value: text }
  const read = readTypedJson(text)
  // A word is meant as a word, and a broken list is no word.
  if (!read.ok && type === 'any' && !/^[[{"\d-]/.test(text.trim())) return { ok: true, value: text }
  return read
}
