'use client'

import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, indentWithTab } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { bracketMatching, foldGutter, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { EditorState, Transaction } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { getNonce } from 'get-nonce'
import { useEffect, useRef } from 'react'
import type { YamlIssue } from '@/core/pipeline/yaml'
import { useDraft, useDraftStore } from './editor-context'
import { ink } from './form/code-look'
import { textEdit } from './history'

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '12px', backgroundColor: 'var(--surface)', color: 'var(--ink)' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '20px' },
  '.cm-gutters': {
    backgroundColor: 'var(--surface)',
    color: 'var(--faint)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--sunken)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused': { outline: 'none' },
})

/** The text of the draft. It is the same text that the canvas edits: undo and redo are those of the draft. */
export function CodeView() {
  const store = useDraftStore()
  const text = useDraft((draft) => draft.text)
  const unreadable = useDraft((draft) => draft.unreadable)
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)

  useEffect(() => {
    if (place.current === null) return
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: store.getState().text,
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
          autocompletion(),
          highlightSelectionMatches(),
          syntaxHighlighting(ink),
          yaml(),
          keymap.of([
            { key: 'Mod-z', run: () => (store.undo(), true), shift: () => (store.redo(), true) },
            { key: 'Mod-y', run: () => (store.redo(), true) },
            ...searchKeymap,
            ...completionKeymap,
            ...defaultKeymap,
            indentWithTab,
          ]),
          look,
          EditorView.contentAttributes.of({ 'aria-label': 'Definition as YAML' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !update.transactions.some((one) => one.annotation(Transaction.remote)))
              store.write(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    return () => {
      editor.destroy()
      view.current = null
    }
  }, [store])

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
    if (editor === null) return
    editor.dispatch(
      setDiagnostics(
        editor.state,
        unreadable.map((issue) => diagnosticOf(issue, editor.state)),
      ),
    )
  }, [unreadable])

  return <div ref={place} className="h-full min-h-0 overflow-hidden" />
}

function diagnosticOf({ message, line = 1, column = 1 }: YamlIssue, { doc }: EditorState): Diagnostic {
  const at = doc.line(Math.min(Math.max(1, line), doc.lines))
  const from = Math.min(at.from + column - 1, at.to)
  return { from, to: at.to, severity: 'error', message }
}
