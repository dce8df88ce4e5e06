import { describe, expect, it } from 'vitest'
import { createDraft } from '@/components/editor/model/draft/draft'
import { limits } from '@/core/pipeline/definition/definition'
import {
  closeCase,
  expectedNodes,
  openCase,
  openedCase,
  removeCase,
  renameCase,
  saveCase,
} from './case-actions'
import type { Case } from './cases'
import { createScenario } from './scenario'

const one = (name: string) => ({
  name,
  plan: { nodes: { a: { failure: {} } } },
  expect: { nodes: { a: 'failed' as const } },
})
const setup = (rehearsals: readonly unknown[] = [one('first'), one('second')]) => {
  const text = JSON.stringify({ id: 'p', nodes: [{ id: 'a', task: 'noop' }], rehearsals })
  const draft = createDraft({ revision: 1, text }, text, () => 0)
  const scenario = createScenario()
  const cases = (): readonly Case[] => {
    const list = draft.getState().definition['rehearsals']
    return (Array.isArray(list) ? list : []).map((value: { name: string }) => ({
      name: value.name,
      value,
      messages: null,
    }))
  }
  return { draft, scenario, cases }
}

describe('actions of cases', () => {
  it('open a case in the scenario, and close it without losing its plan', () => {
    const { scenario, cases } = setup()
    expect(openCase(scenario, cases(), 1)).toBeNull()
    expect(openedCase(scenario.getState(), cases())).toMatchObject({ at: 1, name: 'second' })
    closeCase(scenario)
    expect(openedCase(scenario.getState(), cases())).toBeNull()
    expect(scenario.getState().plan).toEqual({ nodes: { a: { failure: {} } } })
  })

  it('say why a case cannot be opened, and leave the scenario as it is', () => {
    const { scenario, cases } = setup([{ name: 'broken', plan: { slots: 'many' }, expect: {} }])
    expect(openCase(scenario, cases(), 0)).toMatch(/^plan · slots: .*Fix it in the code\.$/)
    expect(scenario.getState()).toEqual({ plan: {}, opened: null, durations: null })
  })

  it('add and replace a case, each of which is open then', () => {
    const { draft, scenario, cases } = setup()
    expect(saveCase(draft, scenario, one('third'), null)).toEqual({ at: 2 })
    expect(openedCase(scenario.getState(), cases())).toMatchObject({ at: 2, name: 'third' })
    expect(saveCase(draft, scenario, one('new first'), 0)).toEqual({ at: 0 })
    expect(cases().map(({ name }) => name)).toEqual(['new first', 'second', 'third'])
  })

  it('refuse a case above the limit, and while the code cannot be parsed', () => {
    const full = setup(Array.from({ length: limits.rehearsals }, (_, at) => one(`case ${at}`)))
    expect(saveCase(full.draft, full.scenario, one('more'), null)).toEqual({
      refused: `A pipeline has at most ${limits.rehearsals} cases.`,
    })
    const broken = setup()
    broken.draft.write('{')
    expect(saveCase(broken.draft, broken.scenario, one('more'), null)).toEqual({
      refused: 'Fix the code first, or undo.',
    })
    expect(broken.scenario.getState().opened).toBeNull()
  })

  it('rename a case in draft and scenario', () => {
    const { draft, scenario, cases } = setup()
    openCase(scenario, cases(), 0)
    renameCase(draft, scenario, cases()[0]!, { at: 0, name: 'renamed' })
    expect(openedCase(scenario.getState(), cases())).toMatchObject({ at: 0, name: 'renamed' })
    renameCase(draft, scenario, cases()[1]!, { at: 1, name: 'another' })
    expect(scenario.getState().opened).toEqual({ at: 0, name: 'renamed' })
  })

  it('delete a case and close the open one; after an undo of a save no case is open', () => {
    const { draft, scenario, cases } = setup()
    openCase(scenario, cases(), 0)
    removeCase(draft, scenario, cases()[0]!, 0)
    expect([cases().map(({ name }) => name), scenario.getState().opened]).toEqual([['second'], null])
    saveCase(draft, scenario, one('third'), null)
    draft.undo()
    expect(openedCase(scenario.getState(), cases())).toBeNull()
  })

  it('know the nodes that a case names', () => {
    expect(expectedNodes(one('x'))).toEqual(['a'])
    expect(expectedNodes({ name: 1 })).toEqual([])
  })
})
