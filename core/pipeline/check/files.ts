import type { Expression } from '@/core/pipeline/expression/expression'
import { isRecord } from '@/core/pipeline/json'
import { error, type Issue } from '@/core/pipeline/issue'
import type { ReadNode, ValidationContext } from '@/core/pipeline/definition/read-node'

type Path = (string | number)[]

/** Types of outputs that are no file, whatever stands in them. */
const noFiles: ReadonlySet<string> = new Set(['number', 'boolean'])

/**
 * Where a node takes files: what it reads there is a file, or a list of files where the task takes one. Told only of a variable by
 * itself, whose type its task declares.
 */
export function checkFiles({ contract, parts }: ReadNode, context: ValidationContext, path: Path): Issue[] {
  const taken = contract?.takesFiles
  const binding = taken === undefined ? undefined : parts.bindings.entries.get(taken.input)
  if (taken === undefined || binding === undefined) return []
  const at = [...path, 'inputBindings', taken.input]
  const entries = taken.many && binding.kind === 'map' ? [...binding.entries] : []
  const places: (readonly [Path, typeof binding])[] = taken.many
    ? entries.map(([name, template]) => [[...at, name], template])
    : [[at, binding]]
  return places.flatMap(([place, template]) => {
    if (template.kind !== 'expression') return []
    const found = variableTypeOf(template.expression, context)
    const name = place.slice(path.length + 1).join('.')
    const wanted = taken.many ? 'a file or a list of files' : 'one file'
    const fault = (is: string) =>
      error(place, 'invalid_input', `'${name}' takes ${wanted}, and '${template.expression.source}' is ${is}`)
    if (found === null) return []
    if (noFiles.has(found.type)) return [fault(found.each ? `a list of ${found.type}s` : `a ${found.type}`)]
    if (taken.many || !found.each || found.type !== 'file') return []
    return [
      { ...fault('a list of files'), hint: 'a query reads them all: files of duckdb.query take a list' },
    ]
  })
}

/** The declared type of a variable that is read by itself, and whether it is a list of one for each item; null: nothing is declared. */
function variableTypeOf(
  { source, reads }: Expression,
  { byId }: ValidationContext,
): { readonly type: string; readonly each: boolean } | null {
  const [read] = reads
  if (read === undefined || read.name !== source) return null
  const producer = byId.get(read.root)
  const outputs = producer?.contract?.output
  if (producer === undefined || outputs === undefined) return null
  const given = producer.node.outputVariables
  const own = isRecord(given) ? given[read.variable] : `{{ result.${read.variable} }}`
  const output = typeof own === 'string' ? /^\s*\{\{\s*result\.(\w+)\s*\}\}\s*$/.exec(own)?.[1] : undefined
  if (output === undefined || !Object.hasOwn(outputs, output)) return null
  return { type: outputs[output]!.type, each: producer.node.forEach !== undefined }
}
