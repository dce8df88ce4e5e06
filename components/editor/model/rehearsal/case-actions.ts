import type { DraftStore } from '@/components/editor/model/draft/draft'
import { FIX_CODE_FIRST, type Refusal } from '@/components/editor/model/actions'
import { limits } from '@/core/pipeline/definition/definition'
import { isRecord } from '@/core/pipeline/json'
import { readRehearsalCase, type RehearsalCase } from '@/core/rehearsal/case'
import { withCase, withoutCase } from './case-edits'
import type { Case } from './cases'
import type { Scenario, ScenarioStore } from './scenario'

/** What the rehearsal page does with cases. Each change of a draft is one step of the history. */

/** The case that is open in the scenario, with its index; null: none is, or an undo put another case at its index. */
export function openedCase(
  { opened }: Scenario,
  cases: readonly Case[],
): { readonly at: number; readonly value: unknown; readonly name: string } | null {
  const found = opened === null ? undefined : cases[opened.at]
  if (opened === null || found === undefined || found.name !== opened.name) return null
  return { at: opened.at, value: found.value, name: found.name }
}

/** Makes the plan of a case the scenario. Null, or why the case cannot be opened, as a sentence. */
export function openCase(scenario: ScenarioStore, cases: readonly Case[], at: number): Refusal {
  const read = readRehearsalCase(cases[at]?.value)
  if (!read.ok) {
    const [issue] = read.error
    return `${issue?.path.join(' · ')}: ${issue?.message}. Fix it in the code.`
  }
  const { plan, name } = read.value
  scenario.setState({ plan, opened: { at, name }, durations: null })
  return null
}

/** Closes the case and keeps its plan in the scenario. */
export const closeCase = (scenario: ScenarioStore): void => scenario.setState({ opened: null })

/**
 * Adds a case to the draft, or replaces the one at `at`, and opens it in the scenario. Returns its index, or why it was not saved, as
 * a sentence.
 */
export function saveCase(
  draft: DraftStore,
  scenario: ScenarioStore,
  saved: RehearsalCase,
  at: number | null,
): { readonly at: number } | { readonly refused: string } {
  const { definition: before } = draft.getState()
  const done = draft.edit(`Save the case “${saved.name}”`, (now) => withCase(now, saved, at))
  if (!done) return { refused: FIX_CODE_FIRST }
  const { definition: after } = draft.getState()
  if (after === before) return { refused: `A pipeline has at most ${limits.rehearsals} cases.` }
  const all = after['rehearsals']
  const index = at ?? (Array.isArray(all) ? all.length - 1 : 0)
  scenario.setState({ opened: { at: index, name: saved.name } })
  return { at: index }
}

/** Renames a case, in the scenario too when it is open there. */
export function renameCase(
  draft: DraftStore,
  scenario: ScenarioStore,
  { value }: Pick<Case, 'value'>,
  { at, name }: { readonly at: number; readonly name: string },
): void {
  if (!isRecord(value)) return
  draft.edit('Rename a case', (before) => withCase(before, { ...value, name } as RehearsalCase, at))
  if (scenario.getState().opened?.at === at) scenario.setState({ opened: { at, name } })
}

/** Deletes a case, and closes the one that is open: indexes change. */
export function removeCase(draft: DraftStore, scenario: ScenarioStore, { name }: Case, at: number): void {
  draft.edit(`Delete the case “${name}”`, (before) => withoutCase(before, at))
  closeCase(scenario)
}

/** The nodes that a case names; none where it cannot be read. */
export function expectedNodes(value: unknown): readonly string[] {
  const read = readRehearsalCase(value)
  return read.ok ? Object.keys(read.value.expect.nodes ?? {}) : []
}
