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
import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react'
import { placeToWrite } from './braces'
import { codeLook, MOST_OFFERS_SHOWN } from './code-look'
import { createEchoes } from './echoes'
import { closedBehind, closesExpression, offersAt, type Grammar, type Names } from './completion'
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
  '.cm-placeholder': { color: 'var(--faint)', fontStyle: 'italic' },
  '.cm-expression': { color: 'var(--accent)' },
})

const roomy = EditorView.theme({ '.cm-scroller': { minHeight: '50dvh', maxHeight: '68dvh' } })

const braces = new MatchDecorator({
  regexp: /\{\{[^]*?\}\}/g,
  decoration: Decoration.mark({ class: 'cm-expression' }),
})

let layer: HTMLElement | null = null

/** Where the tooltips of all fields are: above panels and dialogs, and no part of the height of the page. Each field adds an element with a border to it. */
function tooltipLayer(): HTMLElement {
  if (layer === null) {
    layer = document.createElement('div')
    layer.className = 'fixed top-0 left-0 z-60 h-0 w-0'
    document.body.append(layer)
  }
  return layer
}

/** Highlights expressions within a text. */
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

/** The grammar of a language, loaded when a field needs it. */
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

/** Typing the closing braces of an expression moves the cursor behind the braces that are there already. */
const overBraces = EditorView.inputHandler.of((view, from, to, typed) => {
  if (typed !== '}' || from !== to) return false
  const text = view.state.doc.toString()
  const behind = closedBehind(text, from)
  if (behind === null) return false
  // A space that was typed before the braces doubles the one that is there.
  const doubled = text[from - 1] === ' ' && text[from] === ' '
  view.dispatch({
    ...(doubled ? { changes: { from: from - 1, to: from } } : {}),
    selection: { anchor: doubled ? behind - 1 : behind },
    userEvent: doubled ? 'delete' : 'select',
  })
  return true
})

/** Braces stand around the field: a typed brace that closes the expression is not written into it. */
const withinBraces = (latest: RefObject<Latest>) =>
  EditorView.inputHandler.of((view, from, to, typed) => {
    const text = view.state.doc.toString()
    if (typed !== '}' || from !== to) return false
    if (text.trim() === '') return true
    if (!closesExpression(text, from)) return false
    latest.current.onClose?.()
    return true
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

type CodeFieldProps = {
  id: string
  label: string
  value: string
  onChange: (text: string) => void
  /** Called on Enter when nothing is offered; without it, Enter starts a new line. */
  onEnter?: () => void
  /** Called when somebody types the brace that closes the expression; the braces stand around the field. */
  onClose?: (() => void) | undefined
  /** What is completed; null: nothing. */
  grammar?: Grammar | null
  language?: Language | null
  names?: () => Names
  /** The field fills a dialog. */
  large?: boolean
  /** The field gets the focus when it is rendered first. */
  focused?: boolean
  /** Where the cursor stands then. */
  cursorIn?: (text: string) => number
  invalid?: boolean
  describedBy?: string | undefined
  hint?: string
}

/** What changes with every edit while the editor stays the same. */
type Latest = Pick<CodeFieldProps, 'onChange' | 'value'> & {
  readonly onEnter: CodeFieldProps['onEnter'] | undefined
  readonly onClose: CodeFieldProps['onClose']
  readonly names: CodeFieldProps['names'] | undefined
}

type EditorOptions = {
  readonly grammar: Grammar | null
  readonly large: boolean
  readonly hint: string
  readonly latest: RefObject<Latest>
  /** The language, once it is loaded. */
  readonly language: Compartment
  readonly attributes: Compartment
  readonly echoes: ReturnType<typeof createEchoes>
}

/** Everything that an editor of a field consists of. */
function extensionsOf({
  grammar,
  large,
  hint,
  latest,
  language,
  attributes,
  echoes,
}: EditorOptions): Extension {
  return [
    EditorView.cspNonce.of(getNonce() ?? ''),
    drawSelection(),
    EditorView.lineWrapping,
    grammar === null ? [] : grammar === 'expression' ? withinBraces(latest) : overBraces,
    closeBrackets(),
    // A panel would clip the tooltips; a dialog blocks clicks outside of it.
    large ? [] : tooltips({ parent: tooltipLayer() }),
    autocompletion({
      icons: false,
      maxRenderedOptions: MOST_OFFERS_SHOWN,
      ...(grammar === null
        ? {}
        : {
            override: [sourceOf(grammar, () => latest.current.names?.() ?? { variables: [], events: [] })],
          }),
    }),
    codeLook,
    grammar === 'expression' ? [] : expressions,
    language.of([]),
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
    attributes.of([]),
    EditorView.updateListener.of((update) => {
      if (!update.docChanged || update.transactions.some((one) => one.annotation(Transaction.remote))) return
      const text = update.state.doc.toString()
      echoes.gave(text)
      latest.current.onChange(text)
    }),
  ]
}

/** Focuses an editor with the cursor where the person goes on writing, and offers completions. */
function focusToWrite(editor: EditorView, grammar: Grammar | null, cursorIn: (text: string) => number): void {
  editor.focus()
  editor.dispatch({ selection: { anchor: cursorIn(editor.state.doc.toString()) } })
  if (grammar !== null) startCompletion(editor)
}

/** A field for code, an expression or a start condition. It shows `value`, and calls `onChange` at every change. */
export function CodeField({
  id,
  label,
  value,
  onChange,
  onEnter,
  onClose,
  grammar = null,
  language = null,
  names,
  large = false,
  focused = false,
  cursorIn = placeToWrite,
  invalid = false,
  describedBy,
  hint = '',
}: CodeFieldProps) {
  const element = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const attributes = useRef(new Compartment())
  const echoes = useRef(createEchoes())
  const latest = useRef<Latest>({ onChange, onEnter, onClose, names, value })
  useEffect(() => {
    latest.current = { onChange, onEnter, onClose, names, value }
  })
  const start = useRef(focused ? cursorIn : null)

  // A layout effect, because a key that is typed before the editor exists would be a shortcut of the page.
  useLayoutEffect(() => {
    if (element.current === null) return
    const loaded = new Compartment()
    const options = {
      ...{ grammar, large, hint, latest, language: loaded },
      attributes: attributes.current,
      echoes: echoes.current,
    }
    const editor = new EditorView({
      parent: element.current,
      state: EditorState.create({ doc: latest.current.value, extensions: extensionsOf(options) }),
    })
    view.current = editor
    let gone = false
    if (language !== null)
      void languageOf(language).then((extension) => {
        if (!gone) editor.dispatch({ effects: loaded.reconfigure(extension) })
      })
    if (start.current !== null) {
      focusToWrite(editor, grammar, start.current)
      start.current = null
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
          // An element that scrolls must be focusable; accessibility checks do not count editable text.
          tabindex: '0',
          'aria-label': label,
          'aria-invalid': String(invalid),
          ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
        }),
      ),
    })
  }, [attributes, id, label, invalid, describedBy, grammar, language, large, hint])

  // Takes over a value that an undo or another view of the draft has set.
  useEffect(() => {
    const editor = view.current
    if (editor === null || !echoes.current.isForeign(value, editor.state.doc.toString())) return
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: value },
      annotations: Transaction.remote.of(true),
    })
  }, [value])

  return <div ref={element} className="min-w-0" />
}
