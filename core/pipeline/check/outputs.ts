import type { Issue } from '@/core/pipeline/issue'
import { isRecord } from '@/core/pipeline/json'
import { syntaxIssue } from '@/core/pipeline/definition/node-parts'
import { compileTemplate } from '@/core/pipeline/expression/template'
import { checkTemplate } from './validate-node'
import type { ValidationContext } from '@/core/pipeline/definition/read-node'

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
