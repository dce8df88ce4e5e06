import { describe, expect, it } from 'vitest'
import { createDraft, type DraftStore } from '@/components/editor/model/draft/draft'
import { problemsOf } from '@/components/editor/model/problems/problem-list'
import { createCases, casesText, type CasesStore } from './cases'
import { withCase, withoutCase } from './case-edits'
import { openInPage } from '@/components/editor/model/background'
import { createRehearser, type Question } from './rehearser'
import { createRehearserClient, type RehearserResponder } from './rehearser-client'

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

const openRehearser = (): RehearserResponder => openInPage(async () => createRehearser())

function setup(text = TEXT) {
  const asked: Question[] = []
  const rehearser = createRehearserClient(() => {
    const { ask, close } = openRehearser()
    return {
      close,
      ask: (question) => {
        asked.push(question)
        return ask(question)
      },
    }
  }, openRehearser)
  const cases = createCases(rehearser, 0)
  const draft = createDraft({ revision: 1, text }, text, () => 0)
  return { asked, cases, draft, stop: cases.follow(draft) }
}

/** Resolves once every case was rehearsed with the current draft. */
const resultsOf = (cases: CasesStore) =>
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
  draft.parse()
}

describe('the cases of a draft', () => {
  it('are rehearsed whenever the pipeline changes, and reported as problems', async () => {
    const { cases, draft, stop } = setup()
    expect(await resultsOf(cases)).toEqual([[]])
    write(draft, ALWAYS)
    expect(cases.getState().busy).toBe(true)
    const [messages] = await resultsOf(cases)
    expect(messages).toEqual(['publish is completed where skipped was expected'])
    const checks = { findings: [], of: draft.getState().definition, trouble: null }
    expect(problemsOf(checks, [], { cases: cases.getState().cases })).toMatchObject([
      {
        severity: 'warning',
        path: ['rehearsals', 0],
        rehearsal: 0,
        text: '“when extract fails, publish is skipped” fails: publish is completed where skipped was expected',
      },
    ])
    draft.undo()
    expect(await resultsOf(cases)).toEqual([[]])
    stop()
    expect(cases.getState()).toEqual({ cases: [], busy: false })
  })

  it('are rehearsed again only where a run depends on the change, or where they are new', async () => {
    const { asked, cases, draft } = setup()
    await resultsOf(cases)
    draft.edit('Move', (before) => ({ ...before, layout: { extract: { x: 8, y: 0 } }, name: 'Nightly' }))
    expect(cases.getState().busy).toBe(false)
    draft.edit('Save', (before) =>
      withCase(before, { name: 'it goes well', plan: {}, expect: { status: 'failed' } }),
    )
    expect(await resultsOf(cases)).toEqual([
      [],
      ['the run is completed where failed was expected: the run is completed'],
    ])
    expect(asked.map(({ definition }) => definition !== null)).toEqual([true, false])
  })

  it('have no result while the pipeline cannot run, and say what is wrong with a case that cannot be read', async () => {
    const { cases, draft } = setup()
    await resultsOf(cases)
    write(draft, TEXT.replace('event:extract.completed', 'event:nobody.completed'))
    expect(await resultsOf(cases)).toEqual([null])
    write(draft, TEXT.replace('publish: skipped', 'publish: never'))
    const [messages] = await resultsOf(cases)
    expect(messages?.[0]).toMatch(/^expect · nodes · publish: /)
    // No run depends on the name, but a name that is too long makes the definition invalid.
    write(draft, TEXT.replace('id: nightly', `id: nightly\nname: ${'x'.repeat(300)}`))
    expect(await resultsOf(cases)).toEqual([null])
    expect(casesText(cases.getState().cases, false)).toBe('Not rehearsed: the draft cannot run')
    write(draft, TEXT)
    expect(await resultsOf(cases)).toEqual([[]])
  })

  it('are saved, replaced and removed in the text with its comments, each a step that can be undone', () => {
    const { draft } = setup()
    const saved = { name: 'while nobody decides', plan: {}, expect: { status: 'completed' as const } }
    draft.edit('Save', (before) => withCase(before, saved))
    draft.edit('Save', (before) => withCase(before, { ...saved, name: 'all goes well' }, 1))
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
