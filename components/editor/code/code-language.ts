import {
  acceptCompletion,
  autocompletion,
  startCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import { hoverTooltip, keymap, type EditorView } from '@codemirror/view'
import type { Definition } from '@/components/editor/model/draft/draft'
import { MOST_OFFERS_SHOWN } from '@/components/editor/form/code-look'
import { taskCatalog } from '@/tasks/contracts'
import { offersAt } from './code-offers'
import { codePlaceAt } from './code-place'
import { aboutKey, type Offer } from './code-schema'

/** What completion needs to know. It is asked at every completion, because it changes. */
export type CodeKnowledge = {
  readonly definition: () => Definition
  readonly pipelines: () => readonly { readonly id: string; readonly name: string }[]
}

/** Completion and hover from the schemas of the definition and of the tasks. */
export const definitionLanguage = (knows: CodeKnowledge): Extension => [
  autocompletion({
    override: [(context) => complete(context, knows)],
    icons: false,
    maxRenderedOptions: MOST_OFFERS_SHOWN,
  }),
  keymap.of([{ key: 'Tab', run: acceptCompletion }]),
  hoverTooltip((view, position) => {
    const about = aboutWord(view, position)
    return about === null
      ? null
      : {
          pos: about.from,
          end: about.to,
          create: () => ({ dom: tooltipOf(about.title, about.detail, about.info) }),
        }
  }),
]

function complete(context: CompletionContext, knows: CodeKnowledge): CompletionResult | null {
  const place = codePlaceAt(context.state.doc.toString(), context.pos)
  if (place === null || (place.typed === '' && !context.explicit)) return null
  const found = offersAt(place, knows.definition(), knows.pipelines())
  if (found === null || found.offers.length === 0) return null
  // Within an expression, variables come before functions; keys are ranked by their letters.
  const inBraces = place.typed.includes('{{')
  return {
    from: found.from,
    options: found.offers.map((offer, at) => completionOf(offer, inBraces ? -at / 10 : 0)),
    validFor: /^[\w.:]*$/,
  }
}

function completionOf({ label, detail, info, holds, required }: Offer, boost: number): Completion {
  return {
    label,
    ...(detail === '' ? {} : { detail: required ? `${detail}, required` : detail }),
    ...(info === '' ? {} : { info }),
    boost: required ? 10 : boost,
    apply: (view, _completion, from, to) => take(view, { label, holds }, { from, to }),
  }
}

/** Inserts an offer: a key with its colon, and on the next line the start of its value. */
function take(
  view: EditorView,
  { label, holds }: Pick<Offer, 'label' | 'holds'>,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  const { doc } = view.state
  const line = doc.lineAt(from)
  const before = doc.sliceString(line.from, from)
  const known = /^\s*:/.test(doc.sliceString(to, line.to))
  // Within braces the value stays on the same line.
  const block = !/[{[]/.test(before)
  const below = `\n${' '.repeat(before.length + 2)}`
  const inside = { object: block ? below : ' { ', list: block ? `${below}- ` : ' [', value: ' ', none: '' }
  const insert = label + (holds === 'none' || known ? '' : `:${inside[holds]}`)
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + insert.length },
    userEvent: 'input.complete',
    scrollIntoView: true,
  })
  if (holds !== 'none' && !known) startCompletion(view)
}

function aboutWord(
  view: EditorView,
  position: number,
): { from: number; to: number; title: string; detail: string; info: string } | null {
  const { doc } = view.state
  const line = doc.lineAt(position)
  const at = position - line.from
  const from = line.from + line.text.slice(0, at).search(/[\w.]*$/)
  const to = position + (/^[\w.]*/.exec(line.text.slice(at))?.[0].length ?? 0)
  const place = from === to ? null : codePlaceAt(doc.toString(), to)
  if (place === null) return null
  const word = doc.sliceString(from, to)
  if (place.key === null) {
    const about = aboutKey(place, word)
    return about === null ? null : { from, to, title: word, ...about }
  }
  const task = place.key === 'task' ? taskCatalog.get(word) : undefined
  return task === undefined
    ? null
    : { from, to, title: task.title, detail: task.type, info: task.description }
}

function tooltipOf(title: string, detail: string, info: string): HTMLElement {
  const box = document.createElement('div')
  box.className = 'cm-about'
  for (const [tag, text] of [
    ['strong', title],
    ['code', detail],
    ['p', info],
  ] as const) {
    if (text === '') continue
    const part = document.createElement(tag)
    part.textContent = text
    box.append(part, ' ')
  }
  return box
}
