import { describe, expect, it } from 'vitest'
import { openDocument } from '@/core/pipeline/yaml/document'
import { createDraft, isDirty, type Definition } from './draft'

const SAVED = `# Greets.
id: greet
nodes:
  - id: a # the first
    task: noop
`
const setup = (text = SAVED) => {
  let now = 0
  const draft = createDraft({ revision: 3, text: SAVED }, text, () => (now += 10_000))
  return draft
}
const named = (name: string) => (definition: Definition) => ({ ...definition, name })

describe('a draft', () => {
  it('is one text: edits of the canvas keep comments, edits of the code are read, one history for both', () => {
    const draft = setup()
    expect(isDirty(draft.getState())).toBe(false)
    expect(draft.edit('Rename', named('Hello'))).toBe(true)
    expect(draft.getState().text).toContain('- id: a # the first')
    expect(draft.getState().text).toContain('name: Hello')
    draft.write(draft.getState().text.replace('noop', 'log'))
    draft.parse()
    expect(draft.getState().definition).toMatchObject({ name: 'Hello', nodes: [{ id: 'a', task: 'log' }] })
    draft.undo()
    expect(draft.getState()).toMatchObject({
      definition: { nodes: [{ task: 'noop' }] },
      message: 'Undone: Edit the code',
    })
    draft.undo()
    expect(draft.getState().text).toBe(SAVED)
    expect(isDirty(draft.getState())).toBe(false)
    draft.redo()
    expect(draft.getState().definition['name']).toBe('Hello')
    draft.rebase({ revision: 4, text: draft.getState().text })
    expect(isDirty(draft.getState())).toBe(false)
  })

  it('keeps the last graph while the text cannot be read, and lets nothing overwrite the text', () => {
    const draft = setup()
    draft.write('id: greet\nnodes: [')
    draft.parse()
    const { definition, unreadable, text } = draft.getState()
    expect(definition['nodes']).toHaveLength(1)
    expect(unreadable[0]?.line).toBeGreaterThan(0)
    expect(draft.edit('Rename', named('x'))).toBe(false)
    expect(draft.getState().text).toBe(text)
    draft.write('just text')
    draft.parse()
    expect(draft.getState().unreadable).toHaveLength(1)
    draft.undo()
    draft.undo()
    expect(draft.getState()).toMatchObject({ text: SAVED, unreadable: [] })
    expect(draft.edit('Rename', named('x'))).toBe(true)
  })

  it('shows what its text is known to say, and reads it when it is edited or was read elsewhere', () => {
    const says = { id: 'greet', nodes: [{ id: 'a', task: 'noop' }] }
    const opened = () => createDraft({ revision: 3, text: SAVED }, SAVED, () => 0, says)
    const read = openDocument(SAVED)
    if (!read.ok) throw new Error('it can be read')

    const edited = opened()
    expect(edited.getState()).toMatchObject({ document: null, unreadable: [], definition: says })
    expect(edited.edit('Rename', named('Hello'))).toBe(true)
    expect(edited.getState().text).toContain('- id: a # the first')
    edited.offerParsed(() => read.value)
    edited.parse()
    expect(edited.getState().definition['name']).toBe('Hello')

    const waiting = opened()
    let asked = 0
    waiting.offerParsed(() => {
      asked++
      return read.value
    })
    expect(waiting.getState().document).toBeNull()
    waiting.parse()
    waiting.parse()
    expect(waiting.getState().document?.text).toBe(SAVED)
    expect(asked).toBe(1)
    // Nobody has to look at anything anew.
    expect(waiting.getState().definition).toBe(says)
    expect(waiting.edit('Rename', named('Hello'))).toBe(true)
    expect(waiting.getState().text).toContain('- id: a # the first')
    waiting.undo()
    expect(waiting.getState()).toMatchObject({ text: SAVED, definition: says })

    const otherwise = createDraft({ revision: 3, text: SAVED }, SAVED, () => 0, { id: 'something else' })
    otherwise.offerParsed(() => read.value)
    otherwise.parse()
    expect(otherwise.getState().definition).toEqual(says)
  })

  it('opens with a text that cannot be read, over what is saved', () => {
    const draft = setup('id: [')
    expect(draft.getState()).toMatchObject({ text: 'id: [', definition: { id: 'greet' } })
    expect(draft.edit('Rename', named('x'))).toBe(false)
  })

  it('reads what was written in a pause, or before anything else is done', () => {
    const draft = setup()
    const { definition } = draft.getState()
    draft.write(SAVED.replace('noop', 'log'))
    expect(draft.getState().text).toContain('log')
    expect(draft.getState().definition).toBe(definition)
    expect(draft.edit('Rename', named('x'))).toBe(true)
    expect(draft.getState().definition).toMatchObject({ name: 'x', nodes: [{ task: 'log' }] })
    expect(draft.getState().document?.text).toBe(draft.getState().text)
    draft.write('id: [')
    expect(draft.edit('Rename', named('y'))).toBe(false)
    draft.write('id: [[')
    draft.undo()
    expect(draft.getState()).toMatchObject({ text: 'id: [', definition: { name: 'x' } })
    draft.parse()
    draft.undo()
    expect(draft.getState()).toMatchObject({ unreadable: [], definition: { name: 'x' } })
  })

  it.each(['yaml', 'json'])(
    'what is undone or done again lately is the very definition that it was (%s)',
    (kind) => {
      const draft = setup(kind === 'json' ? '{"id": "greet", "nodes": [{"id": "a", "task": "noop"}]}' : SAVED)
      draft.parse()
      const were = [draft.getState().definition]
      for (const name of ['x', 'y', 'z']) {
        draft.edit('Rename', named(name))
        were.push(draft.getState().definition)
      }
      for (const was of were.slice(0, -1).reverse()) {
        draft.undo()
        expect(draft.getState().definition).toBe(was)
      }
      for (const was of were.slice(1)) {
        draft.redo()
        expect(draft.getState().definition).toBe(was)
      }
    },
  )

  it('an edit that changes nothing is no step', () => {
    const draft = setup()
    draft.edit('Nothing', (definition) => definition)
    draft.edit('Nothing', (definition) => ({ ...definition }))
    expect(draft.getState().history.past).toEqual([])
  })
})
