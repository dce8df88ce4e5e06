'use client'

import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, indentWithTab } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState, Transaction } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  type ViewUpdate,
} from '@codemirror/view'
import { useQuery } from '@tanstack/react-query'
import { getNonce } from 'get-nonce'
import { useEffect, useId, useRef } from 'react'
import { api } from '@/components/api'
import { textEdit } from '@/components/editor/model/draft/history'
import { useDraft, useEditor, useView } from '@/components/editor/editor-context'
import type { EditorStores } from '@/components/editor/model/stores'
import { nodesOf } from '@/components/editor/model/flow'
import type { Problem } from '@/components/editor/model/problems/problem-list'
import { onlyNode, selectionOf } from '@/components/editor/model/view'
import { toast } from '@/components/ui/toast'
import { pathAt } from '@/core/pipeline/yaml/places'
import { maxDocumentLength } from '@/core/pipeline/yaml/yaml'
import { definitionLanguage } from './code-language'
import { codeViewLook } from './code-view-look'
import { lineOf, marksOf, marksOfText } from './code-marks'

/** How long one pauses before what was typed is read; longer where reading took long. */
const PAUSE_MS = 250

/** What comes from the canvas or an undo is no typing, and what is typed is not given back. */
const isRemote = (transaction: Transaction) => transaction.annotation(Transaction.remote) === true

const notTooLarge = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || isRemote(transaction) || transaction.newDoc.length <= maxDocumentLength)
    return transaction
  toast({
    tone: 'bad',
    title: 'Nothing was changed',
    text: 'The code would be larger than 5 MB. Take out what is no part of a definition.',
  })
  return []
})

/** The text of the draft. It is the same text that the canvas edits: undo and redo are those of the draft. */
export function CodeView({ problems }: { problems: readonly Problem[] }) {
  const stores = useEditor()
  const { draft } = stores
  const text = useDraft((state) => state.text)
  const unreadable = useDraft((state) => state.unreadable)
  const document = useDraft((state) => state.document)
  const sought = useView((state) => state.sought)
  const node = useView(onlyNode)
  const { data } = useQuery(api.pipelines.list.queryOptions({ limit: 250 }, { staleTime: 60_000 }))
  const pipelines = useRef(data?.items ?? [])
  pipelines.current = data?.items ?? []
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const help = useId()

  useEffect(() => {
    if (place.current === null) return
    const reading = readInPauses(stores)
    // What is marked stands at places of the text: those are known when it was read.
    reading.later()
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: draft.getState().text,
        extensions: [
          EditorView.cspNonce.of(getNonce() ?? ''),
          lineNumbers(),
          foldGutter(),
          lintGutter(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          highlightSelectionMatches(),
          search({ top: true }),
          yaml(),
          definitionLanguage({
            definition: () => draft.getState().definition,
            pipelines: () => pipelines.current,
          }),
          notTooLarge,
          keymap.of([
            { key: 'Mod-z', run: () => (draft.undo(), true), shift: () => (draft.redo(), true) },
            { key: 'Mod-y', run: () => (draft.redo(), true) },
            ...closeBracketsKeymap,
            ...searchKeymap,
            ...foldKeymap,
            ...lintKeymap,
            ...completionKeymap,
            ...defaultKeymap,
            indentWithTab,
          ]),
          codeViewLook,
          EditorView.contentAttributes.of({
            // What scrolls must be told to take the keyboard, for those who do not count editable text.
            tabindex: '0',
            'aria-label': 'Definition as YAML',
            'aria-describedby': help,
          }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !update.transactions.some(isRemote)) {
              draft.write(update.state.doc.toString())
              reading.later()
            } else if (update.selectionSet && !update.docChanged) lookAtCursor(stores, update)
          }),
        ],
      }),
    })
    view.current = editor
    const chosen = nodesAt(stores, onlyNode(stores.view.getState()))
    if (chosen !== null) show(stores, editor, chosen)
    editor.focus()
    return () => {
      reading.now()
      editor.destroy()
      view.current = null
    }
  }, [stores, draft, help])

  // What the canvas or an undo did comes in as the part that changed: the cursor stays where it is.
  useEffect(() => {
    const editor = view.current
    if (editor === null) return
    const edit = textEdit(editor.state.doc.toString(), text)
    if (edit === null) return
    editor.dispatch({
      changes: { from: edit.at, to: edit.at + edit.removed.length, insert: edit.inserted },
      annotations: Transaction.remote.of(true),
    })
  }, [text])

  useEffect(() => {
    const editor = view.current
    // While one types, the marks move along with the text; they are told anew when it is read.
    if (editor === null || document === null) return
    const { doc } = editor.state
    if (unreadable.length > 0) editor.dispatch(setDiagnostics(editor.state, marksOfText(unreadable, doc)))
    else if (document.text === draft.getState().text && document.text.length === doc.length)
      editor.dispatch(setDiagnostics(editor.state, marksOf(problems, document, doc)))
  }, [draft, unreadable, problems, document])

  // A node that is chosen elsewhere is brought into view; whoever types here is left alone.
  useEffect(() => {
    const at = nodesAt(stores, node)
    if (view.current !== null && !view.current.hasFocus && at !== null) show(stores, view.current, at)
  }, [stores, node])

  useEffect(() => {
    if (view.current === null || sought === null) return
    if (typeof sought === 'number')
      goTo(view.current, view.current.state.doc.line(Math.min(sought, view.current.state.doc.lines)).from)
    else show(stores, view.current, sought)
    view.current.focus()
    // It was found: whoever opens the code later is not led there again.
    stores.view.setState({ sought: null })
  }, [stores, sought])

  return (
    <div className="flex h-full min-h-0 flex-col">
      <div ref={place} className="min-h-0 flex-1 overflow-hidden" />
      <p id={help} className="border-t border-line px-4 py-1.5 text-xs text-faint">
        Ctrl+Space offers what may stand here, Ctrl+F searches. Tab indents; Escape, then Tab, leaves the
        code.
      </p>
    </div>
  )
}

/** Reads what was typed when one pauses: a large text takes long, and no key press may wait for it. */
function readInPauses({ draft }: EditorStores): { later: () => void; now: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  let pause = PAUSE_MS
  const now = () => {
    clearTimeout(timer)
    const began = performance.now()
    draft.parse()
    pause = Math.max(PAUSE_MS, 3 * (performance.now() - began))
  }
  const later = () => {
    clearTimeout(timer)
    timer = setTimeout(now, pause)
  }
  return { later, now }
}

/** The path of a node in the definition. */
function nodesAt({ draft }: EditorStores, id: string | null): Problem['path'] | null {
  const { definition } = draft.getState()
  const node = nodesOf(definition).find((one) => one.id === id)
  const list: unknown = definition['nodes']
  return node === undefined || !Array.isArray(list) ? null : ['nodes', list.indexOf(node)]
}

function show({ draft }: EditorStores, editor: EditorView, path: Problem['path']): void {
  const { document } = draft.getState()
  if (document !== null) goTo(editor, lineOf(document, path, editor.state.doc).from)
}

function goTo(editor: EditorView, from: number): void {
  editor.dispatch({
    selection: { anchor: from },
    effects: EditorView.scrollIntoView(from, { y: 'start', yMargin: 60 }),
  })
}

/** A cursor that is put into the lines of a node selects it. */
function lookAtCursor(
  { draft, view }: EditorStores,
  { state, view: editor, transactions }: ViewUpdate,
): void {
  const { document, definition } = draft.getState()
  const moved = transactions.some((transaction) => transaction.isUserEvent('select'))
  if (!moved || !editor.hasFocus || document === null || document.text.length !== state.doc.length) return
  const [list, index] = pathAt(document, state.selection.main.head)
  const nodes: unknown = definition['nodes']
  if (list !== 'nodes' || typeof index !== 'number' || !Array.isArray(nodes)) return
  const node = nodesOf(definition).find((one) => one === nodes[index])
  if (node !== undefined && onlyNode(view.getState()) !== node.id)
    view.setState({ selection: selectionOf(node.id) })
}
