'use client'

import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, indentWithTab } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState, Transaction, type Extension } from '@codemirror/state'
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
import { isUnbegun, type Problem } from '@/components/editor/model/problems/problem-list'
import { onlyNode, selectionOf } from '@/components/editor/model/view'
import { toast } from '@/components/ui/toast'
import { pathAt } from '@/core/pipeline/yaml/source-ranges'
import { maxDocumentLength } from '@/core/pipeline/yaml/yaml'
import { definitionLanguage, type CodeKnowledge } from './code-language'
import { codeViewLook } from './code-view-look'
import { lineOf, marksOf, marksOfText } from './code-marks'

/** Shortest pause before the text is parsed, in milliseconds; longer where parsing takes long. */
const PAUSE_MS = 250

/** A change that comes from the draft, and is not written back to it. */
const isRemote = (transaction: Transaction) => transaction.annotation(Transaction.remote) === true

const notTooLarge = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || isRemote(transaction) || transaction.newDoc.length <= maxDocumentLength)
    return transaction
  toast({
    tone: 'bad',
    title: 'Nothing was changed',
    text: 'The code would be larger than 5 MB. Remove what is not part of the definition.',
  })
  return []
})

/** The text of the draft, which canvas and forms edit too. Undo and redo are those of the draft. */
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
  const element = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const help = useId()

  useEffect(() => {
    if (element.current === null) return
    const reading = parseInPauses(stores)
    // Problems are marked at positions of the parsed text.
    reading.later()
    const editor = new EditorView({
      parent: element.current,
      state: EditorState.create({
        doc: draft.getState().text,
        extensions: extensionsOf(stores, {
          pipelines: () => pipelines.current,
          onTyped: reading.later,
          helpId: help,
        }),
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

  // Only the part that another view or an undo changed is replaced, so that the cursor stays.
  useEffect(() => {
    const editor = view.current
    if (editor === null) return
    // This may be about a text that more was typed to meanwhile: the draft has the latest.
    const edit = textEdit(editor.state.doc.toString(), draft.getState().text)
    if (edit === null) return
    editor.dispatch({
      changes: { from: edit.at, to: edit.at + edit.removed.length, insert: edit.inserted },
      annotations: Transaction.remote.of(true),
    })
  }, [draft, text])

  useEffect(() => {
    const editor = view.current
    // Between two parses, the marks move along with the text.
    if (editor === null || document === null) return
    const { doc } = editor.state
    if (unreadable.length > 0) editor.dispatch(setDiagnostics(editor.state, marksOfText(unreadable, doc)))
    else if (document.text === draft.getState().text && document.text.length === doc.length)
      editor.dispatch(
        setDiagnostics(editor.state, marksOf(isUnbegun(problems) ? [] : problems, document, doc)),
      )
  }, [draft, unreadable, problems, document])

  // A node that is selected elsewhere is scrolled into view, unless the person types here.
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
    // Cleared, so that the code does not scroll there when it is opened again.
    stores.view.setState({ sought: null })
  }, [stores, sought])

  return (
    <div className="flex h-full min-h-0 flex-col">
      <div ref={element} className="min-h-0 flex-1 overflow-hidden" />
      <p id={help} className="border-t border-line px-4 py-1.5 text-xs text-faint">
        Ctrl+Space completes, Ctrl+F searches. Tab indents; Escape, then Tab, leaves the editor.
      </p>
    </div>
  )
}

/** Everything that the editor of the code consists of. */
function extensionsOf(
  stores: EditorStores,
  {
    pipelines,
    onTyped,
    helpId,
  }: { pipelines: CodeKnowledge['pipelines']; onTyped: () => void; helpId: string },
): Extension {
  const { draft } = stores
  return [
    EditorView.cspNonce.of(getNonce() ?? ''),
    lineNumbers(),
    foldGutter(),
    lintGutter(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    drawSelection(),
    EditorView.lineWrapping,
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightSelectionMatches(),
    search({ top: true }),
    yaml(),
    definitionLanguage({ definition: () => draft.getState().definition, pipelines }),
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
      // An element that scrolls must be focusable; accessibility checks do not count editable text.
      tabindex: '0',
      'aria-label': 'Definition as YAML',
      'aria-describedby': helpId,
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged && !update.transactions.some(isRemote)) {
        draft.write(update.state.doc.toString())
        onTyped()
      } else if (update.selectionSet && !update.docChanged) selectAtCursor(stores, update)
    }),
  ]
}

/** Parses the text when the person pauses, because a large one takes long and would delay keys. */
function parseInPauses({ draft }: EditorStores): { later: () => void; now: () => void } {
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

/** Selects the node in whose lines the cursor was put. */
function selectAtCursor(
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
