import { createStore, type StoreApi } from 'zustand/vanilla'
import { aboutValue, changeDocument, openDocument, type OpenDocument } from '@/core/pipeline/yaml/document'
import { reopenDocument } from '@/core/pipeline/yaml/reopen'
import type { YamlIssue } from '@/core/pipeline/yaml/yaml'
import { NO_HISTORY, record, redo, textEdit, undo, type History } from './history'

/**
 * The draft of one pipeline. The text is the source of truth: canvas, forms and code are three views of it, and each edit of any of
 * them is an edit of the text in one history. The parsed definition is stored beside the text; while the text cannot be parsed, it is
 * the definition from before.
 */

/** A parsed definition, valid or not. */
export type Definition = { readonly [key: string]: unknown }

export type Saved = {
  /** The revision from which the draft began; 0: none is published yet. */
  readonly revision: number
  readonly text: string
}

export type Draft = {
  readonly saved: Saved
  readonly text: string
  readonly definition: Definition
  /** The last parsed document, with the positions of its values; null: nothing has been parsed yet. */
  readonly document: OpenDocument | null
  /** Why the text cannot be parsed; empty: `definition` is what it says. */
  readonly unreadable: readonly YamlIssue[]
  readonly history: History
  /** What the last undo or redo did, as words for people; null after anything else. */
  readonly message: string | null
}

export type DraftStore = StoreApi<Draft> & {
  /**
   * Edits the definition, as canvas and forms do. Returns false, and changes nothing, while the text cannot be parsed: the edit would
   * overwrite it. Edits of one `group` that follow each other within a second are one step of the history.
   */
  edit(label: string, change: (definition: Definition) => Definition, group?: string): boolean
  /**
   * Replaces the text, as the code editor does. The text is not parsed here, because a large one takes long: the caller calls `parse`
   * when the person pauses, and every other edit calls it first.
   */
  write(text: string): void
  /** Parses the text if it changed since it was last parsed. */
  parse(): void
  /**
   * Hands over a document that was parsed in the background. The next `parse` uses it if the text is still the same and was not parsed
   * meanwhile. `document` is called then, and returns null where the text cannot be parsed.
   */
  offerParsed(document: () => OpenDocument | null): void
  /** Replaces the whole text in one step: with an earlier revision, an import or a merge. */
  replace(label: string, text: string): void
  undo(): void
  redo(): void
  /** Compares the draft with another saved text from now on: it was published, or another revision is current. */
  rebase(saved: Saved): void
}

/** Whether the text differs from what is saved. It is computed from the texts, never stored. */
export const isDirty = ({ text, saved }: Draft): boolean => text !== saved.text

const isDefinition = (value: unknown): value is Definition =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const NOT_A_DEFINITION: readonly YamlIssue[] = [{ message: 'a definition is a mapping: id, name, nodes …' }]

/** How many parsed documents are memoized, so that an undo need not parse, and how many characters they may have in all. */
const MOST_DOCUMENTS = 8
const MOST_CHARACTERS = 8_000_000

type Parsed = Pick<Draft, 'unreadable'> & Partial<Pick<Draft, 'definition' | 'document'>>

/** Parses texts, the documents of recent ones from memory. An edit of a parsed document costs only what it changes. */
function createParser() {
  let recent: readonly OpenDocument[] = []
  return {
    remember(document: OpenDocument | null): void {
      if (document === null) return
      let characters = 0
      recent = [document, ...recent.filter((one) => one !== document)]
        .slice(0, MOST_DOCUMENTS)
        .filter(({ text }) => (characters += text.length) <= MOST_CHARACTERS)
    },
    /**
     * @param before a document from which only the difference is parsed
     * @param definition the definition of before, whose equal parts stay the same objects
     */
    parse(text: string, before: OpenDocument | null = null, definition?: Definition): Parsed {
      const known = recent.find((one) => one.text === text)
      if (known !== undefined && isDefinition(known.value))
        return { unreadable: [], definition: known.value, document: known }
      const edit = before === null ? null : textEdit(before.text, text)
      const opened =
        before === null || edit === null ? openDocument(text, definition) : reopenDocument(before, edit)
      if (!opened.ok) return { unreadable: opened.error }
      if (!isDefinition(opened.value.value)) return { unreadable: NOT_A_DEFINITION }
      return { unreadable: [], definition: opened.value.value, document: opened.value }
    },
  }
}

/**
 * @param text the text of the draft, which may differ from the saved one
 * @param now the time in milliseconds, for the history
 * @param known the definition of the text, where it is known: it is shown at once, and the text is parsed by the first `parse`
 */
export function createDraft(saved: Saved, text: string, now: () => number, known?: Definition): DraftStore {
  const parser = createParser()
  /** The text that was parsed last; null: none was. */
  let parsedText = known === undefined ? text : null
  const first: Parsed = known === undefined ? parser.parse(text) : { unreadable: [], definition: known }
  const { definition = {}, document = null } =
    first.definition === undefined ? parser.parse(saved.text) : first
  const store = createStore<Draft>(() => ({
    saved,
    text,
    definition,
    document,
    unreadable: first.unreadable,
    history: NO_HISTORY,
    message: null,
  }))
  let inBackground: (() => OpenDocument | null) | null = null

  /** The text became another one by something else than an edit of the definition. */
  function setText(next: string, history: History, message: string | null): void {
    parsedText = next
    const { document: before, definition: old } = store.getState()
    parser.remember(before)
    store.setState({ text: next, history, message, ...parser.parse(next, before, old) })
  }

  function parse(): void {
    const { text: written, history, message, definition: old, document: open } = store.getState()
    if (written === parsedText) return
    const offered = open === null ? (inBackground?.() ?? null) : null
    inBackground = null
    const parsed = offered?.text === written ? aboutValue(offered, old) : null
    if (parsed === null) return setText(written, history, message)
    parsedText = written
    store.setState({ document: parsed })
  }

  function edit(label: string, change: (definition: Definition) => Definition, group?: string): boolean {
    parse()
    const { text: before, definition: old, document: open, unreadable, history } = store.getState()
    if (unreadable.length > 0 || open === null) return false
    const after = change(old)
    if (after === old) return true
    const changed = changeDocument(open, after)
    parsedText = changed.text
    const step = { before, after: changed.text, label, group: group ?? null, now: now() }
    const recorded = record(history, step)
    if (recorded.past.length > history.past.length) parser.remember(open)
    store.setState({
      text: changed.text,
      definition: changed.value as Definition,
      document: changed,
      message: null,
      history: recorded,
    })
    return true
  }

  return Object.assign(store, {
    edit,
    write(next: string) {
      const { text: before, history } = store.getState()
      if (next === before) return
      const step = { before, after: next, label: 'Edit the code', group: 'code', now: now() }
      store.setState({ text: next, history: record(history, step), message: null })
    },
    parse,
    offerParsed(offered: () => OpenDocument | null) {
      inBackground = offered
    },
    replace(label: string, next: string) {
      const { text: before, history } = store.getState()
      if (next === before) return
      setText(next, record(history, { before, after: next, label, group: null, now: now() }), null)
    },
    undo() {
      const { history, text: present } = store.getState()
      const back = undo(history, present)
      if (back !== null) setText(back.text, back.history, `Undone: ${back.step.label}`)
    },
    redo() {
      const { history, text: present } = store.getState()
      const forth = redo(history, present)
      if (forth !== null) setText(forth.text, forth.history, `Redone: ${forth.step.label}`)
    },
    rebase(next: Saved) {
      store.setState({ saved: next })
    },
  })
}
