import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { codeLook } from '@/components/editor/form/code-look'

const theme = EditorView.theme({
  '&': { height: '100%' },
  '.cm-scroller': { lineHeight: '20px' },
  '.cm-gutters': { borderRight: '1px solid var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--sunken)' },
  '&.cm-focused': { outline: 'none' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in oklab, var(--accent) 28%, transparent) !important',
  },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--sunken)',
    borderColor: 'var(--line)',
    color: 'var(--muted)',
    padding: '0 4px',
  },
  '.cm-lintRange-info': { backgroundImage: 'none', borderBottom: '1px dotted var(--faint)' },
  '.cm-about': { padding: '6px 10px', maxWidth: '360px' },
  '.cm-about code': { color: 'var(--faint)', marginLeft: '6px' },
  '.cm-about p': { color: 'var(--muted)', marginTop: '2px' },
  '.cm-diagnostic': { padding: '6px 10px' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--ink)', borderColor: 'var(--line)' },
  '.cm-panel.cm-search': { padding: '8px 32px 8px 12px', fontFamily: 'var(--font-sans)' },
  '.cm-panel.cm-search label': { fontSize: '12px', color: 'var(--muted)' },
  '.cm-textfield': {
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
    padding: '2px 8px',
    fontSize: '12px',
  },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    fontSize: '12px',
    color: 'var(--ink)',
  },
  '.cm-panel.cm-search [name=close]': { color: 'var(--muted)', right: '10px', top: '6px', fontSize: '16px' },
  '.cm-searchMatch': { backgroundColor: 'color-mix(in oklab, var(--warning) 28%, transparent)' },
  '.cm-searchMatch-selected': { backgroundColor: 'color-mix(in oklab, var(--accent) 38%, transparent)' },
})

/** The theme of the code view: gutters, active line, search. */
export const codeViewLook: Extension = [theme, codeLook]
