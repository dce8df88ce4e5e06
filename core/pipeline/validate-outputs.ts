import type { Issue } from './issue'
import { isRecord } from './json'
import { syntaxIssue } from './node-parts'
import { compileTemplate } from './template'
import { checkTemplate } from './validate-node'
import type { ValidationContext } from './validation-context'

/** Outputs of the pipeline: evaluated when it completes, so they may read every node but those that run afterwards. */
export function checkOutputs(input: Record<string, unknown>, context: ValidationContext): Issue[] {
  if (!isRecord(input.outputs)) return []
  return Object.entries(input.outputs).flatMap(([name, output]): Issue[] => {
    if (!isRecord(output) || output.value === undefined) return []
    const path = ['outputs', name, 'value']
    const compiled = compileTemplate(output.value)
    if (!compiled.ok) return compiled.error.map((issue) => syntaxIssue(issue, [...path, ...issue.path]))
    return checkTemplate(compiled.value, { read: null, context, path, locals: [], gate: false })
  })
}
