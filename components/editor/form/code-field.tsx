'use client'

import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  startCompletion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import { defaultKeymap } from '@codemirror/commands'
import { Compartment, EditorState, Transaction, type Extension } from '@codemirror/state'
import {
  Decoration,
  drawSelection,
  EditorView,
  keymap,
  MatchDecorator,
  placeholder,
  tooltips,
  ViewPlugin,
  type DecorationSet,
  type ViewUpdate,
} from '@codemirror/view'
import { getNonce } from 'get-nonce'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { placeToWrite } from './braces'
import { codeLook, MOST_OFFERS_SHOWN } from './code-look'
import { closedBehind, offersAt, type Grammar, type Names } from './completion'
import type { Language } from './shape'

const look = EditorView.theme({
  '&': {
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
    boxShadow: 'var(--shadow)',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '0' },
  '&:has([aria-invalid="true"])': { borderColor: 'var(--danger)' },
  '.cm-scroller': {
    lineHeight: '18px',
    maxHeight: '320px',
    overflow: 'auto',
  },
  '.cm-content': { padding: '6px 0' },
  '.cm-line': { padding: '0 10px' },
  '.cm-placeholder': { color: 'var(--faint)' },
  '.cm-expression': { color: 'var(--accent)' },
})

const roomy = EditorView.theme({ '.cm-scroller': { minHeight: '50dvh', maxHeight: '68dvh' } })

const braces = new MatchDecorator({
  regexp: /\{\{[^]*?\}\}/g,
  decoration: Decoration.mark({ class: 'cm-expression' }),
})

/** Expressions within a text, told apart from it. */
const expressions = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet
    constructor(view: EditorView) {
      this.decorations = braces.createDeco(view)
    }
    update(update: ViewUpdate): void {
      this.decorations = braces.updateDeco(update, this.decorations)
    }
  },
  { decorations: (plugin) => plugin.decorations },
)

/** Grammars of languages, fetched when a field of theirs is drawn. */
async function languageOf(language: Language): Promise<Extension> {
  switch (language) {
    case 'sql':
      return (await import('@codemirror/lang-sql')).sql()
    case 'javascript':
    case 'json':
      return (await import('@codemirror/lang-javascript')).javascript()
    case 'shell':
      return []
  }
}

/** The braces that end an expression stand there already: who types them goes on behind them. */
const overBraces = EditorView.inputHandler.of((view, from, to, typed) => {
  if (typed !== '}' || from !== to) return false
  const text = view.state.doc.toString()
  const behind = closedBehind(text, from)
  if (behind === null) return false
  // Who puts a space before the braces finds one there.
  const doubled = text[from - 1] === ' ' && text[from] === ' '
  view.dispatch({
    ...(doubled ? { changes: { from: from - 1, to: from } } : {}),
    selection: { anchor: doubled ? behind - 1 : behind },
    userEvent: doubled ? 'delete' : 'select',
  })
  return true
})

/** The same where the braces stand around the field: those that are typed are there. */
const withinBraces = EditorView.inputHandler.of((view, from, to, typed) => {
  const text = view.state.doc.toString()
  const isClosed = text.split('{').length === text.split('}').length
  return typed === '}' && from === to && isClosed && text.slice(from).trim() === ''
})

function sourceOf(grammar: Grammar, names: () => Names) {
  return (context: CompletionContext): CompletionResult | null => {
    const text = context.state.doc.toString()
    const found = offersAt(text, context.pos, grammar, names)
    if (found === null) return null
    const opened = /\{\{ ?$/.test(text.slice(0, context.pos))
    if (found.from === context.pos && !context.explicit && !opened && text[context.pos - 1] !== '.')
      return null
    return {
      from: found.from,
      validFor: /^[\w.:]*$/,
      options: found.offers.map(({ label, detail, info, kind, text: written }, at) => ({
        label,
        detail,
        info,
        type: kind,
        boost: -at / 10,
        apply: (view: EditorView, _option: unknown, from: number, to: number) => {
          const end = from + written.length - (written.endsWith('()') ? 1 : 0)
          view.dispatch({
            changes: { from, to, insert: written },
            selection: { anchor: end },
            userEvent: 'input.complete',
          })
          if (written.endsWith('.')) startCompletion(view)
        },
      })),
    }
  }
}

/** A text that is more than text: code, an expression, a start condition. It is the value that it is given, and tells of every change. */
export function CodeField({
  id,
  label,
  value,
  onChange,
  onEnter,
  grammar = null,
  language = null,
  names,
  large = false,
  focused = false,
  invalid = false,
  describedBy,
  hint = '',
}: {
  id: string
  label: string
  value: string
  onChange: (text: string) => void
  /** What Enter does, once nothing is offered; without it, Enter begins a line. */
  onEnter?: () => void
  /** What is completed; null: nothing. */
  grammar?: Grammar | null
  language?: Language | null
  names?: () => Names
  /** It takes the room that there is. */
  large?: boolean
  /** The cursor stands in it as soon as it is drawn. */
  focused?: boolean
  invalid?: boolean
  describedBy?: string | undefined
  hint?: string
}) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const attributes = useRef(new Compartment())
  // Both change with every edit; the editor stays.
  const latest = useRef({ onChange, onEnter, names, value })
  useEffect(() => {
    latest.current = { onChange, onEnter, names, value }
  })
  const start = useRef(focused)

  // Before anything else is typed: a letter between two editors would be a shortcut.
  useLayoutEffect(() => {
    if (place.current === null) return
    const loaded = new Compartment()
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          EditorView.cspNonce.of(getNonce() ?? ''),
          drawSelection(),
          EditorView.lineWrapping,
          grammar === null ? [] : grammar === 'expression' ? withinBraces : overBraces,
          closeBrackets(),
          // A panel would cut them off; a dialog takes no clicks outside of itself.
          large ? [] : tooltips({ parent: document.body }),
          autocompletion({
            icons: false,
            maxRenderedOptions: MOST_OFFERS_SHOWN,
            ...(grammar === null
              ? {}
              : {
                  override: [
                    sourceOf(grammar, () => latest.current.names?.() ?? { variables: [], events: [] }),
                  ],
                }),
          }),
          codeLook,
          grammar === 'expression' ? [] : expressions,
          loaded.of([]),
          keymap.of([
            ...closeBracketsKeymap,
            ...completionKeymap,
            { key: 'Tab', run: acceptCompletion },
            {
              key: 'Enter',
              run: () => {
                latest.current.onEnter?.()
                return latest.current.onEnter !== undefined
              },
            },
            ...defaultKeymap,
          ]),
          hint === '' ? [] : placeholder(hint),
          look,
          large ? roomy : [],
          attributes.current.of([]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !update.transactions.some((one) => one.annotation(Transaction.remote)))
              latest.current.onChange(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    let gone = false
    if (language !== null)
      void languageOf(language).then((extension) => {
        if (!gone) editor.dispatch({ effects: loaded.reconfigure(extension) })
      })
    if (start.current) {
      start.current = false
      editor.focus()
      editor.dispatch({ selection: { anchor: placeToWrite(editor.state.doc.toString()) } })
      if (grammar !== null) startCompletion(editor)
    }
    return () => {
      gone = true
      editor.destroy()
      view.current = null
    }
  }, [attributes, grammar, language, large, hint])

  useEffect(() => {
    view.current?.dispatch({
      effects: attributes.current.reconfigure(
        EditorView.contentAttributes.of({
          id,
          // What scrolls must be told to take the keyboard, for those who do not count editable text.
          tabindex: '0',
          'aria-label': label,
          'aria-invalid': String(invalid),
          ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
        }),
      ),
    })
  }, [attributes, id, label, invalid, describedBy, grammar, language, large, hint])

  // What an undo or another view of the draft did.
  useEffect(() => {
    const editor = view.current
    if (editor === null || editor.state.doc.toString() === value) return
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: value },
      annotations: Transaction.remote.of(true),
    })
  }, [value])

  return <div ref={place} className="min-w-0" />
}
