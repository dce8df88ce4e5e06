import type { Definition } from '@/components/editor/draft/draft'
import { limits } from '@/core/pipeline/definition/definition'
import { endsItsDirections } from '@/core/pipeline/directions'
import type { RehearsalCase } from '@/core/rehearsal/case'
import type { Shown } from './rehearser'

/** Cases of a draft: how they are proposed, and the edits that keep, rename and remove them. Pure. */

export type Expectation = RehearsalCase['expect']

/** Whether one is likely to care how a node ends: by itself, or because others did. */
const TELLING: ReadonlySet<string> = new Set(['failed', 'skipped', 'cancelled', 'waiting'])

/** Nodes that a case about this rehearsal would name: what went wrong, what did not happen, and of a good run its last nodes. */
export function tellingNodes({ nodes, drawing }: Pick<Shown, 'nodes' | 'drawing'>): readonly string[] {
  const telling = [...nodes].filter(([, { status }]) => TELLING.has(status)).map(([id]) => id)
  if (telling.length > 0) return telling
  const hasAfter = new Set(drawing.edges.map(({ from }) => from))
  return [...nodes.keys()].filter((id) => !hasAfter.has(id))
}

/** A name for a case of this rehearsal, in the words in which people ask: when extract fails, publish is skipped. */
export function proposedName({ nodes, end }: Pick<Shown, 'nodes' | 'end'>): string {
  const of = (status: string) => [...nodes].filter(([, node]) => node.status === status).map(([id]) => id)
  const [failed] = of('failed')
  const skipped = of('skipped')
  const last = skipped.at(-1)
  if (failed !== undefined)
    return last === undefined
      ? `when ${failed} fails, the run goes on`
      : `when ${failed} fails, ${last} is skipped`
  if (end.kind === 'waits') {
    const waiting = end.nodes.find(({ for: { kind } }) => kind !== 'nodes')
    return waiting === undefined ? 'the run waits' : `the run waits at ${waiting.node}`
  }
  return last === undefined ? `the run is ${end.status}` : `${last} is skipped`
}

/** What of a rehearsal a case expects. Nodes whose state no case can name are left out. */
export function expectationOf(
  { nodes, end }: Pick<Shown, 'nodes' | 'end'>,
  chosen: { readonly status: boolean; readonly nodes: ReadonlySet<string> },
): Expectation {
  const named = [...nodes].filter(([id, { status }]) => chosen.nodes.has(id) && status !== 'rolled_back')
  return {
    ...(chosen.status ? { status: end.status as NonNullable<Expectation['status']> } : {}),
    ...(named.length > 0
      ? {
          nodes: Object.fromEntries(named.map(([id, { status }]) => [id, status])) as NonNullable<
            Expectation['nodes']
          >,
        }
      : {}),
  }
}

const casesOf = ({ rehearsals }: Definition): readonly unknown[] =>
  Array.isArray(rehearsals) ? rehearsals : []

const withCases = (definition: Definition, rehearsals: readonly unknown[]): Definition => {
  const { rehearsals: _before, ...rest } = definition
  if (rehearsals.length === 0) return rest
  return 'rehearsals' in definition ? { ...definition, rehearsals } : { ...rest, rehearsals }
}

/** With one more case at the end, or another in the place of one; the same definition where there are too many. */
export function withCase(definition: Definition, kept: RehearsalCase, at: number | null = null): Definition {
  const cases = casesOf(definition)
  if (at !== null && at < cases.length) return withCases(definition, cases.with(at, kept))
  return cases.length >= limits.rehearsals ? definition : withCases(definition, [...cases, kept])
}

export const withoutCase = (definition: Definition, at: number): Definition =>
  withCases(
    definition,
    casesOf(definition).filter((_, index) => index !== at),
  )

/** What is wrong with the name of a case, in a sentence; undefined: nothing. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'It needs a name.'
  if (name.length > limits.nameLength) return `At most ${limits.nameLength} characters.`
  return endsItsDirections(name) ? undefined : 'It sets a direction of writing that does not end in it.'
}
