'use client'

import { defaultKeymap } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { MergeView } from '@codemirror/merge'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { getNonce } from 'get-nonce'
import { useEffect, useRef } from 'react'
import { codeLook } from '@/components/editor/form/code-look'

const look = EditorView.theme({
  '.cm-scroller': { lineHeight: '20px' },
  '.cm-gutters': { border: 'none' },
  '&.cm-merge-a .cm-changedLine': { backgroundColor: 'color-mix(in oklab, var(--warning) 14%, transparent)' },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'color-mix(in oklab, var(--accent) 12%, transparent)' },
  '&.cm-merge-a .cm-changedText': { background: 'color-mix(in oklab, var(--warning) 30%, transparent)' },
  '&.cm-merge-b .cm-changedText': { background: 'color-mix(in oklab, var(--accent) 26%, transparent)' },
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"…"' },
  '.cm-collapsedLines': {
    background: 'var(--sunken)',
    color: 'var(--muted)',
    borderBlock: '1px solid var(--line)',
  },
})

/** Comparing two large texts letter by letter gives up here, and goes by lines. */
const MOST_COMPARED_MS = 500

/** Two texts side by side: theirs, which is only read, and the result, into which each difference can be taken. */
export default function SideBySide({
  theirs,
  result,
  onResult,
}: {
  theirs: string
  /** What the result begins with. */
  result: string
  onResult: (text: string) => void
}) {
  const place = useRef<HTMLDivElement>(null)
  const report = useRef(onResult)
  useEffect(() => {
    report.current = onResult
  }, [onResult])
  useEffect(() => {
    if (place.current === null) return
    const both: Extension = [
      EditorView.cspNonce.of(getNonce() ?? ''),
      lineNumbers(),
      yaml(),
      keymap.of(defaultKeymap),
      look,
      codeLook,
    ]
    const view = new MergeView({
      parent: place.current,
      a: {
        doc: theirs,
        extensions: [
          both,
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({ 'aria-label': 'Theirs' }),
        ],
      },
      b: {
        doc: result,
        extensions: [
          both,
          EditorView.contentAttributes.of({ 'aria-label': 'Result' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) report.current(update.state.doc.toString())
          }),
        ],
      },
      revertControls: 'a-to-b',
      renderRevertControl: () => {
        const button = document.createElement('button')
        button.type = 'button'
        button.textContent = '→'
        button.title = 'Take theirs here'
        button.setAttribute('aria-label', 'Take theirs here')
        button.className = 'absolute left-0.5 rounded-sm border border-line bg-surface px-1 text-xs'
        return button
      },
      collapseUnchanged: { margin: 3, minSize: 6 },
      diffConfig: { scanLimit: 2_000, timeout: MOST_COMPARED_MS },
    })
    return () => view.destroy()
  }, [theirs, result])
  return <div ref={place} className="min-w-[640px]" />
}
