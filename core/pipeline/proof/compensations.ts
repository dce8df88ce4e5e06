import type { Problem } from './problem'
import type { Proof } from './proof'

/**
 * Nodes that change something outside of the run, and of which nothing says how that is undone. Asked only of pipelines that roll back, by
 * themselves or because some node says how [H-O5].
 */
export function proveCompensations({ pipeline, pathOf }: Proof): Problem[] {
  const nodes = [...pipeline.nodes.values()]
  const byItself = pipeline.rollback !== null
  if (!byItself && nodes.every((node) => node.definition.rollback === undefined)) return []
  return nodes.flatMap((node): Problem[] => {
    if (node.finally || !node.hasEffect || node.definition.rollback !== undefined) return []
    const what = byItself ? 'and is done again when the run rolls back' : 'and a rollback leaves it as it is'
    return [
      {
        path: pathOf(node),
        code: 'not_compensated',
        message: `'${node.id}' changes something outside of the run, ${what}`,
        hint: 'give it a rollback task, or rollback: { irreversible: true }',
        severity: byItself ? 'warning' : 'info',
        counterExample: [],
      },
    ]
  })
}
