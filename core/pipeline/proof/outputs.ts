import { isCertain } from '@/core/pipeline/expression/certain-reads'
import { ends, endsMaking, failures } from './outcomes'
import { exampleOf, isScenario, describeExample, type Problem } from './problem'
import type { Proof } from './proof'
import { templateExpressions } from '@/core/pipeline/expression/template'

/** Outputs of the pipeline that no run has, and required ones that a run which has dealt with its failure has not. */
export function proveOutputs(proof: Proof): Problem[] {
  const { pipeline, possible } = proof
  return [...pipeline.outputs].flatMap(([name, { template, required }]): Problem[] => {
    const reads = templateExpressions(template).flatMap((expression) =>
      isCertain(expression) ? expression.reads : [],
    )
    const made = new Map<string, number>()
    for (const { root, variable } of reads) {
      const node = pipeline.nodes.get(root)
      if (node) made.set(root, (made.get(root) ?? ~0) & endsMaking(node, variable))
    }
    if (made.size === 0) return []
    const path = ['outputs', name, 'value']
    const all = [...made].map(([id, there]) => possible.ends(id, there))
    if (possible.find(all) === null) {
      const some = possible.find(all.slice(0, -1))
      const counterExample = isScenario(some) ? exampleOf(some, made.keys()) : []
      const message = `no run has the output '${name}': when ${describeExample(counterExample)}, it has not all that it reads`
      return [{ path, code: 'unset_output', message, severity: 'warning', counterExample }]
    }
    return required ? missingOutput(name, path, made, proof) : []
  })
}

/** What is required is missing though the failure was handled or allowed: the run fails all the same. */
function missingOutput(
  name: string,
  path: string[],
  made: ReadonlyMap<string, number>,
  proof: Proof,
): Problem[] {
  const { certain, pipeline, handlers } = proof
  const isAllowed = (id: string) => pipeline.nodes.get(id)?.allowFailure === true
  for (const [id, there] of made) {
    const allowed = isAllowed(id) ? [null] : (handlers.get(id) ?? [])
    for (const handler of allowed) {
      const claims = [certain.ends(id, failures & ~there)]
      if (handler !== null) claims.push(certain.ends(handler, ends.completed))
      const scenario = certain.find(claims, [id])
      if (!isScenario(scenario) || scenario.failed.some((other) => other !== id && !isAllowed(other)))
        continue
      const counterExample = exampleOf(scenario, handler === null ? [id] : [id, handler])
      const message = `the output '${name}' is required, and missing when ${describeExample(counterExample)}: the run then fails`
      const hint = 'without required: true the run completes without it'
      return [{ path, code: 'may_be_missing', message, hint, severity: 'warning', counterExample }]
    }
  }
  return []
}

/** Inputs that neither a node, an output nor a check reads; `read` are those of the nodes. */
export function proveInputs({ pipeline }: Proof, read: ReadonlySet<string>): Problem[] {
  const outputs = [...pipeline.outputs.values()].flatMap(({ template }) => templateExpressions(template))
  const checks = pipeline.verify.map(({ expression }) => expression)
  const names = new Set([...outputs, ...checks].flatMap(({ reads }) => reads.map(({ name }) => name)))
  return Object.keys(pipeline.definition.inputs ?? {}).flatMap((name): Problem[] => {
    if (read.has(name) || names.has(`pipeline.input.${name}`)) return []
    const message = `the input '${name}' is used nowhere`
    const hint = `read it with {{ pipeline.input.${name} }}, or remove it`
    return [
      { path: ['inputs', name], code: 'unused_input', message, hint, severity: 'info', counterExample: [] },
    ]
  })
}
