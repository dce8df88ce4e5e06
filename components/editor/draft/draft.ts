import { createStore, type StoreApi } from 'zustand/vanilla'
import { aboutValue, changeDocument, openDocument, type OpenDocument } from '@/core/pipeline/yaml/document'
import { reopenDocument } from '@/core/pipeline/yaml/reopen'
import type { YamlIssue } from '@/core/pipeline/yaml/yaml'
import { NO_HISTORY, record, redo, textEdit, undo, type History } from './history'

/**
 * The draft of one pipeline. Its truth is the text: canvas, forms and code are three views of it, and what any of them does is
 * an edit of it in one history. What the text says is kept beside it; while it cannot be read, what it last said.
 */

/** What the text says, valid or not. */
export type Definition = { readonly [key: string]: unknown }

export type Saved = {
  /** The revision that the draft began from; 0: there is none yet. */
  readonly revision: number
  readonly text: string
}

export type Draft = {
  readonly saved: Saved
  readonly text: string
  readonly definition: Definition
  /** What was last read, with the places where everything stands; null: nothing could be read yet. */
  readonly document: OpenDocument | null
  /** Why the text cannot be read; empty: `definition` is what it says. */
  readonly unreadable: readonly YamlIssue[]
  readonly history: History
  /** What the last undo or redo did, in words; null after anything else. */
  readonly told: string | null
}

export type DraftStore = StoreApi<Draft> & {
  /**
   * An edit of the canvas or a form. Refused (false) while the text cannot be read: it would be overwritten.
   * Edits of one `group` that follow each other closely are one step of the history.
   */
  edit(label: string, change: (definition: Definition) => Definition, group?: string): boolean
  /**
   * An edit of the code: anything may be written. A large text takes long to read, and one types on meanwhile: what it says is
   * read by `settle`, which whoever writes calls in a pause, and which every other edit begins with.
   */
  write(text: string): void
  /** Reads what was written. */
  settle(): void
  /**
   * The text that the draft began with was read elsewhere: the next `settle` asks for what came of it, unless the text was read here
   * meanwhile, or is another by then. null: it cannot be read.
   */
  wasRead(answer: () => OpenDocument | null): void
  /** Another whole text as one step: of an earlier revision, of an import, of a merge. */
  replace(label: string, text: string): void
  undo(): void
  redo(): void
  /** The draft was published, or another revision became the one that it is compared with. */
  rebase(saved: Saved): void
}

/** The content differs from what is saved; never a flag that somebody has to set. */
export const isDirty = ({ text, saved }: Draft): boolean => text !== saved.text

const isDefinition = (value: unknown): value is Definition =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const NOT_A_DEFINITION: readonly YamlIssue[] = [{ message: 'a definition is a mapping: id, name, nodes …' }]

/** Documents of the steps around the present that are kept open, so that taking one back reads nothing; and their characters in all. */
const MOST_OPEN = 8
const MOST_OPEN_CHARACTERS = 8_000_000

/**
 * @param text of the draft where it differs from what is saved
 * @param now milliseconds, for the history
 * @param says what the text says, where that is known: it is shown at once, and the text is read by the first `settle`
 */
export function createDraft(saved: Saved, text: string, now: () => number, says?: Definition): DraftStore {
  let lately: readonly OpenDocument[] = []
  function keepOpen(document: OpenDocument | null): void {
    if (document === null) return
    let characters = 0
    lately = [document, ...lately.filter((one) => one !== document)]
      .slice(0, MOST_OPEN)
      .filter(({ text }) => (characters += text.length) <= MOST_OPEN_CHARACTERS)
  }

  // The document is kept taken apart between edits, so that an edit costs what it changes.
  function read(
    next: string,
    before: OpenDocument | null = null,
    said?: Definition,
  ): Pick<Draft, 'unreadable'> & Partial<Pick<Draft, 'definition' | 'document'>> {
    const open = lately.find(({ text }) => text === next)
    if (open !== undefined && isDefinition(open.value))
      return { unreadable: [], definition: open.value, document: open }
    const edit = before === null ? null : textEdit(before.text, next)
    const opened = before === null || edit === null ? openDocument(next, said) : reopenDocument(before, edit)
    if (!opened.ok) return { unreadable: opened.error }
    if (!isDefinition(opened.value.value)) return { unreadable: NOT_A_DEFINITION }
    return { unreadable: [], definition: opened.value.value, document: opened.value }
  }

  // The text that was read last; another is not read yet.
  let known = says === undefined ? text : null
  const first = says === undefined ? read(text) : { unreadable: [], definition: says }
  const { definition = {}, document = null } = first.definition === undefined ? read(saved.text) : first
  const store = createStore<Draft>(() => ({
    saved,
    text,
    definition,
    document,
    unreadable: first.unreadable,
    history: NO_HISTORY,
    told: null,
  }))

  /** The text became another by something else than an edit of the definition. */
  function take(next: string, history: History, told: string | null): void {
    known = next
    const { document: before, definition: said } = store.getState()
    keepOpen(before)
    store.setState({ text: next, history, told, ...read(next, before, said) })
  }

  let elsewhere: (() => OpenDocument | null) | null = null

  function settle(): void {
    const { text: written, history, told, definition: said, document: open } = store.getState()
    if (written === known) return
    const read = open === null ? (elsewhere?.() ?? null) : null
    elsewhere = null
    const document = read?.text === written ? aboutValue(read, said) : null
    if (document === null) return take(written, history, told)
    known = written
    store.setState({ document })
  }

  return Object.assign(store, {
    edit(label: string, change: (definition: Definition) => Definition, group?: string) {
      settle()
      const { text: before, definition, document: open, unreadable, history } = store.getState()
      if (unreadable.length > 0 || open === null) return false
      const after = change(definition)
      if (after === definition) return true
      const changed = changeDocument(open, after)
      known = changed.text
      const step = { before, after: changed.text, label, group: group ?? null, now: now() }
      const recorded = record(history, step)
      if (recorded.past.length > history.past.length) keepOpen(open)
      store.setState({
        text: changed.text,
        definition: changed.value as Definition,
        document: changed,
        told: null,
        history: recorded,
      })
      return true
    },
    write(next: string) {
      const { text: before, history } = store.getState()
      if (next === before) return
      store.setState({
        text: next,
        history: record(history, { before, after: next, label: 'Edit the code', group: 'code', now: now() }),
        told: null,
      })
    },
    settle,
    wasRead(answer: () => OpenDocument | null) {
      elsewhere = answer
    },
    replace(label: string, next: string) {
      const { text: before, history } = store.getState()
      if (next === before) return
      take(next, record(history, { before, after: next, label, group: null, now: now() }), null)
    },
    undo() {
      const { history, text: present } = store.getState()
      const back = undo(history, present)
      if (back !== null) take(back.text, back.history, `Undone: ${back.step.label}`)
    },
    redo() {
      const { history, text: present } = store.getState()
      const forth = redo(history, present)
      if (forth !== null) take(forth.text, forth.history, `Done again: ${forth.step.label}`)
    },
    rebase(next: Saved) {
      store.setState({ saved: next })
    },
  })
}
