import type { NodeDefinition } from '@/core/pipeline/definition/definition'
import { append, error, issueAt, warning, type Issue } from '@/core/pipeline/issue'
import { issuesOfSchema } from '@/core/pipeline/definition/schema-issues'
import type { TaskDescription } from '@/core/pipeline/definition/task-description'
import { issuesOfTemplated } from '@/core/pipeline/expression/template'
import { checkName } from '@/core/pipeline/definition/read-node'

type Path = (string | number)[]

/** Bindings against the task's schema: keys known, required ones there, literals of the right type. */
export function checkBindings(node: Partial<NodeDefinition>, contract: TaskDescription | undefined): Issue[] {
  if (contract === undefined) return []
  const at: Path = ['inputBindings']
  const bindings = node.inputBindings ?? {}
  const found = issuesOfTemplated(contract.input, bindings, new Set(contract.literalInputs))
  const issues = issuesOfSchema(found, contract.input, bindings, at).map((issue): Issue => {
    const own = issue.path.length === at.length + 1
    if (issue.code === 'unknown_field') {
      const message = `'${issue.path[issue.path.length - 1]}' is not an input of ${contract.type}`
      return { ...issue, code: own ? 'unknown_input' : 'unknown_field', message }
    }
    if (issue.code === 'missing_field' && own) {
      return {
        ...issue,
        code: 'missing_input',
        message: `${contract.type} needs the input '${issue.path[issue.path.length - 1]}'`,
      }
    }
    return issue.code === 'missing_field' ? issue : { ...issue, code: 'invalid_input' }
  })
  for (const key of contract.literalInputs ?? []) {
    const value = bindings[key]
    if (typeof value === 'string' && /\{\{\s*[a-z_]\w*(\.\w+)+\s*\}\}/.test(value)) {
      const message = `'{{ }}' in '${key}' is not evaluated`
      issues.push(warning([...at, key], 'literal_input', message, 'pass the value in through another input'))
    }
  }
  if (contract.argvInput !== undefined) append(issues, checkCommand(contract.argvInput, bindings, at))
  for (const name of Object.keys(node.outputVariables ?? {}))
    append(issues, checkName(name, ['outputVariables', name]))
  if (contract.openOutputs)
    for (const name of Object.keys(bindings)) append(issues, checkName(name, [...at, name]))
  return issues
}

/** The same for what undoes the node. */
export function checkCompensation(
  { rollback }: Partial<NodeDefinition>,
  contract: TaskDescription | undefined,
): Issue[] {
  if (rollback?.task === undefined) return []
  return checkBindings({ inputBindings: rollback.inputBindings }, contract).map((issue) =>
    issueAt(['rollback'], issue),
  )
}

/** What is run is written in the definition: data may fill an argument, but not become the program or more arguments. */
function checkCommand(input: string, bindings: Readonly<Record<string, unknown>>, at: Path): Issue[] {
  const value = bindings[input]
  const isTemplate = (word: unknown) => typeof word === 'string' && word.includes('{{')
  const hint = 'write the words one by one, and {{ }} only in arguments'
  if (isTemplate(value)) return [error([...at, input], 'invalid_value', `'${input}' must be a list`, hint)]
  return Array.isArray(value) && isTemplate(value[0])
    ? [error([...at, input, 0], 'invalid_value', 'the program cannot be an expression', hint)]
    : []
}
