import { describe, expect, it } from 'vitest'
import { createDraft, type DraftStore } from '@/components/editor/draft/draft'
import { problemsOf } from '@/components/editor/problems/problem-list'
import { createCases, tellCases, type CasesStore } from './cases'
import { withCase, withoutCase } from './kept-case'
import type { Question } from './rehearser'
import { createStage, openRehearserInPage } from './stage'

const TEXT = `# Nightly.
id: nightly
nodes:
  - { id: extract, task: noop, startWhen: 'event:pipeline.started' }
  - { id: publish, task: noop, startWhen: 'event:extract.completed' } # last
layout:
  extract: { x: 0, y: 0 }
rehearsals:
  # what must never happen
  - name: when extract fails, publish is skipped
    plan: { nodes: { extract: { failure: {} } } }
    expect: { nodes: { publish: skipped } }
`
const ALWAYS = TEXT.replace('event:extract.completed', 'event:extract.completed || event:extract.failed')

function house(text = TEXT) {
  const asked: Question[] = []
  const stage = createStage(() => {
    const { ask, close } = openRehearserInPage()
    return {
      close,
      ask: (question) => {
        asked.push(question)
        return ask(question)
      },
    }
  })
  const cases = createCases(stage, 0)
  const draft = createDraft({ revision: 1, text }, text, () => 0)
  return { asked, cases, draft, stop: cases.follow(draft) }
}

/** When every case is known for what the draft says now. */
const settled = (cases: CasesStore) =>
  new Promise<readonly (readonly string[] | null)[]>((resolve) => {
    const look = () => {
      const { busy, cases: all } = cases.getState()
      if (busy) return
      stop()
      resolve(all.map(({ messages }) => messages))
    }
    const stop = cases.subscribe(look)
    look()
  })

const write = (draft: DraftStore, text: string) => {
  draft.write(text)
  draft.settle()
}

describe('the cases of a draft', () => {
  it('are rehearsed whenever it becomes another pipeline, and told as problems', async () => {
    const { cases, draft, stop } = house()
    expect(await settled(cases)).toEqual([[]])
    write(draft, ALWAYS)
    expect(cases.getState().busy).toBe(true)
    const [messages] = await settled(cases)
    expect(messages).toEqual(['publish is completed where skipped was expected'])
    const checks = { findings: [], of: draft.getState().definition, trouble: null }
    expect(problemsOf(checks, [], cases.getState().cases)).toMatchObject([
      {
        severity: 'warning',
        path: ['rehearsals', 0],
        rehearsal: 0,
        text: '“when extract fails, publish is skipped” does not hold: publish is completed where skipped was expected',
      },
    ])
    draft.undo()
    expect(await settled(cases)).toEqual([[]])
    stop()
    expect(cases.getState()).toEqual({ cases: [], busy: false })
  })

  it('are not rehearsed again for what no run depends on, and only those that are new', async () => {
    const { asked, cases, draft } = house()
    await settled(cases)
    draft.edit('Move', (before) => ({ ...before, layout: { extract: { x: 8, y: 0 } }, name: 'Nightly' }))
    expect(cases.getState().busy).toBe(false)
    draft.edit('Keep', (before) =>
      withCase(before, { name: 'it goes well', plan: {}, expect: { status: 'failed' } }),
    )
    expect(await settled(cases)).toEqual([
      [],
      ['the run is completed where failed was expected: the run is completed'],
    ])
    expect(asked.map(({ definition }) => definition !== null)).toEqual([true, false])
  })

  it('say nothing while the pipeline cannot run, and what is wrong with a case that is none', async () => {
    const { cases, draft } = house()
    await settled(cases)
    write(draft, TEXT.replace('event:extract.completed', 'event:nobody.completed'))
    expect(await settled(cases)).toEqual([null])
    write(draft, TEXT.replace('publish: skipped', 'publish: never'))
    const [messages] = await settled(cases)
    expect(messages?.[0]).toMatch(/^expect · nodes · publish: /)
    // A name is nothing that a run depends on, and yet it can be one with which nothing runs.
    write(draft, TEXT.replace('id: nightly', `id: nightly\nname: ${'x'.repeat(300)}`))
    expect(await settled(cases)).toEqual([null])
    expect(tellCases(cases.getState().cases, false)).toBe('Not rehearsed: the draft cannot run')
    write(draft, TEXT)
    expect(await settled(cases)).toEqual([[]])
  })

  it('are kept, replaced and removed in the text with its comments, each a step that can be undone', () => {
    const { draft } = house()
    const kept = { name: 'while nobody decides', plan: {}, expect: { status: 'completed' as const } }
    draft.edit('Keep', (before) => withCase(before, kept))
    draft.edit('Keep', (before) => withCase(before, { ...kept, name: 'all goes well' }, 1))
    const { text, definition } = draft.getState()
    expect(text).toContain('# what must never happen\n  - name: when extract fails')
    expect(text).toContain('# last')
    expect(definition['rehearsals']).toMatchObject([
      {},
      { name: 'all goes well', expect: { status: 'completed' } },
    ])
    draft.edit('Delete', (before) => withoutCase(withoutCase(before, 0), 0))
    expect(draft.getState().definition).not.toHaveProperty('rehearsals')
    draft.undo()
    draft.undo()
    draft.undo()
    expect(draft.getState().text).toBe(TEXT)
  })
})
