import { isRecord } from '@/core/pipeline/json'
import type { DefinitionDiff, FieldChange } from './diff'

/** A difference as people read it: one line, and below it the fields with what they were and are. */
export type DescribedChange = {
  readonly kind: 'added' | 'removed' | 'changed' | 'renamed' | 'moved'
  readonly what: 'pipeline' | 'node' | 'trigger' | 'note' | 'case'
  /** Of the member; of the pipeline itself empty. */
  readonly id: string
  readonly text: string
  readonly fields: readonly FieldChange[]
}

/** The names of the nodes of definitions, the first that has one; of others their ids. */
export function nodeNames(...definitions: readonly unknown[]): (id: string) => string {
  const names = new Map<string, string>()
  for (const definition of definitions) {
    const nodes: unknown = isRecord(definition) ? definition['nodes'] : null
    for (const node of Array.isArray(nodes) ? (nodes as unknown[]) : []) {
      if (!isRecord(node) || typeof node['id'] !== 'string' || names.has(node['id'])) continue
      if (typeof node['name'] === 'string' && node['name'] !== '') names.set(node['id'], node['name'])
    }
  }
  return (id) => names.get(id) ?? id
}

/**
 * Everything that differs, in the order in which one asks: the pipeline, its nodes, triggers, notes, cases. `nameOf`: what people call a
 * node.
 */
export function describeDiff(
  { pipeline, nodes, triggers, notes, rehearsals }: DefinitionDiff,
  nameOf: (id: string) => string = (id) => id,
): DescribedChange[] {
  const described: DescribedChange[] = []
  if (pipeline.length > 0)
    described.push({
      kind: 'changed',
      what: 'pipeline',
      id: '',
      text: 'The pipeline changed',
      fields: pipeline,
    })
  const renamed = new Map(nodes.renamed.map(({ from, to }) => [to, from]))
  for (const [what, changes, moved] of [
    ['node', nodes, nodes.moved],
    ['trigger', triggers, []],
    ['note', notes, notes.moved],
    ['case', rehearsals, []],
  ] as const) {
    const name = `${what[0]?.toUpperCase()}${what.slice(1)}`
    const add = (
      kind: DescribedChange['kind'],
      id: string,
      text: string,
      fields: readonly FieldChange[] = [],
    ) => described.push({ kind, what, id, text, fields })
    const called = what === 'node' ? nameOf : (id: string) => id
    for (const id of changes.added) add('added', id, `${name} ${called(id)} added`)
    for (const id of changes.removed) add('removed', id, `${name} ${called(id)} removed`)
    const changed = new Map(changes.changed.map(({ id, fields }) => [id, fields]))
    if (what === 'node')
      for (const [to, from] of renamed)
        add('renamed', to, `Node ${from} renamed to ${to}`, changed.get(to) ?? [])
    for (const [id, fields] of changed)
      if (what !== 'node' || !renamed.has(id)) add('changed', id, `${name} ${called(id)} changed`, fields)
    for (const id of moved) if (!changed.has(id)) add('moved', id, `${name} ${called(id)} moved`)
  }
  return described
}

/** Counts, for a line: "2 nodes added, 1 changed; 1 trigger removed". Empty where nothing differs. */
export function countDiff(diff: DefinitionDiff): string {
  const described = describeDiff(diff)
  const parts = (['pipeline', 'node', 'trigger', 'note', 'case'] as const).flatMap((what) => {
    const counts = (['added', 'removed', 'renamed', 'changed', 'moved'] as const).flatMap((kind) => {
      const count = described.filter((each) => each.what === what && each.kind === kind).length
      return count === 0 ? [] : [{ kind, count }]
    })
    if (counts.length === 0) return []
    if (what === 'pipeline') return ['the pipeline changed']
    const words = counts.map(({ kind, count }, at) =>
      at === 0 ? `${count} ${what}${count === 1 ? '' : 's'} ${kind}` : `${count} ${kind}`,
    )
    return [words.join(', ')]
  })
  return parts.join('; ')
}
