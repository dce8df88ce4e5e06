import type { Definition } from '@/components/editor/model/draft/draft'
import { limits } from '@/core/pipeline/definition/definition'
import { endsItsDirections } from '@/core/pipeline/directions'
import type { RehearsalCase } from '@/core/rehearsal/case'
import type { Shown } from './rehearser'
import { skipRoot } from './skip-root'

/** Cases of a draft: how they are proposed, and the edits that save, rename and remove them. Pure. */

export type Expectation = RehearsalCase['expect']

/** States of a node that a case is likely to be about. */
const NOTABLE: ReadonlySet<string> = new Set(['failed', 'skipped', 'cancelled', 'waiting'])

/**
 * The nodes that a case of this rehearsal would name: those that failed, waited or did not run, and those that began because of that; if
 * there are none, the last nodes.
 */
export function notableNodes({ nodes, drawing }: Pick<Shown, 'nodes' | 'drawing'>): readonly string[] {
  const notable = [...nodes].filter(([, { status }]) => NOTABLE.has(status)).map(([id]) => id)
  if (notable.length > 0) {
    // What handles a failure is what the case is about, however well it ended.
    const handlers = drawing.edges
      .filter(({ outcome, state }) => state === 'taken' && outcome !== 'completed' && outcome !== 'reads')
      .map(({ to }) => to)
      .filter((id) => nodes.has(id))
    return [...nodes.keys()].filter((id) => notable.includes(id) || handlers.includes(id))
  }
  const hasAfter = new Set(drawing.edges.map(({ from }) => from))
  return [...nodes.keys()].filter((id) => !hasAfter.has(id))
}

/** A name for a case of this rehearsal, such as `when extract fails, publish is skipped`. */
export function proposedName(shown: Pick<Shown, 'nodes' | 'end' | 'view'>): string {
  const { nodes, end } = shown
  const of = (status: string) => [...nodes].filter(([, node]) => node.status === status).map(([id]) => id)
  const [failed] = of('failed')
  const skipped = of('skipped').filter((id) => failed === undefined || skipRoot(shown, id).failed === failed)
  const last = skipped.at(-1)
  if (failed !== undefined)
    return last === undefined
      ? `when ${failed} fails, the run ${end.status === 'failed' ? 'fails' : 'goes on'}`
      : `when ${failed} fails, ${last} is skipped`
  if (end.kind === 'waits') {
    const waiting = end.nodes.find(({ for: { kind } }) => kind !== 'nodes')
    return waiting === undefined ? 'the run waits' : `the run waits at ${waiting.node}`
  }
  return last === undefined ? `the run is ${end.status}` : `${last} is skipped`
}

/** What a case of this rehearsal expects. Nodes in a state that no case can name are left out. */
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

/** Adds a case at the end, or replaces the one at `at`. The same definition when it has the most cases already. */
export function withCase(definition: Definition, saved: RehearsalCase, at: number | null = null): Definition {
  const cases = casesOf(definition)
  if (at !== null && at < cases.length) return withCases(definition, cases.with(at, saved))
  return cases.length >= limits.rehearsals ? definition : withCases(definition, [...cases, saved])
}

export const withoutCase = (definition: Definition, at: number): Definition =>
  withCases(
    definition,
    casesOf(definition).filter((_, index) => index !== at),
  )

/** What is wrong with the name of a case, as a sentence; undefined: nothing. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'Enter a name.'
  if (name.length > limits.nameLength) return `At most ${limits.nameLength} characters.`
  return endsItsDirections(name) ? undefined : 'The name sets a direction of writing and does not end it.'
}
