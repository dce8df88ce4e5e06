import { expressionFunctions } from '@/core/pipeline/expression/docs'
import { findClosingBraces } from '@/core/pipeline/expression/template'

/** What is offered while one types an expression, a text with expressions or a start condition. Pure. */

/** What a text is: one expression; a text with `{{ }}` in it; a start condition, with events and `{{ }}`. */
export type Grammar = 'expression' | 'template' | 'gate'

export type Offer = {
  readonly label: string
  readonly detail: string
  readonly info: string
  readonly kind: 'variable' | 'function' | 'event'
  /** What is written; the cursor comes to stand before its last `)` where there is one. */
  readonly text: string
}

/** What can be named at a position; called only when completions are offered. */
export type Names = {
  readonly variables: readonly { readonly name: string; readonly type: string; readonly doc: string }[]
  readonly events: readonly { readonly type: string; readonly doc: string }[]
}

export type Offers = { readonly from: number; readonly offers: readonly Offer[] }

/** The completions at a position of a text, for the part from `from` on; null: none. */
export function offersAt(text: string, at: number, grammar: Grammar, names: () => Names): Offers | null {
  const start = grammar === 'expression' ? 0 : openBefore(text, at)
  if (start === null) return grammar === 'gate' ? eventsIn(text, at, names) : null
  const source = text.slice(start, at)
  // In a text or a number nothing can be named.
  if (inString(source) || /(?:^|[^\w.])\d[\w.]*$/.test(source)) return null
  const word = /[A-Za-z_][\w.]*$/.exec(source)?.[0] ?? ''
  const from = at - word.length
  // After the dot of something else than a name, as in `[1].`, methods follow.
  const method = text[from - 1] === '.'
  const functions = expressionFunctions
    .filter(({ call }) => isMethod(call) === (method || word.includes('.')))
    .map(({ name, call, doc }): Offer => {
      const before = word.includes('.') ? word.slice(0, word.lastIndexOf('.') + 1) : ''
      return {
        label: `${before}${name}`,
        detail: call,
        info: doc,
        kind: 'function',
        text: `${before}${name}()`,
      }
    })
  const variables = method
    ? []
    : names().variables.map(({ name, type, doc }): Offer => ({
        label: name,
        detail: type,
        info: doc,
        kind: 'variable',
        text: name,
      }))
  return { from, offers: [...variables, ...functions] }
}

const isMethod = (call: string): boolean => /^(?:list|text|timestamp)\./.test(call)

/** The start of the expression around a position, after its `{{`; null outside of an expression. */
function openBefore(text: string, at: number): number | null {
  let from = 0
  for (;;) {
    const open = text.indexOf('{{', from)
    if (open < 0 || open + 2 > at) return null
    const close = findClosingBraces(text, open + 2)
    if (close < 0 || close >= at) return open + 2
    from = close + 2
  }
}

/**
 * The position after the closing braces, when a `}` is typed where the expression is complete and its closing braces follow already;
 * null where the `}` is to be written.
 */
export function closedBehind(text: string, at: number): number | null {
  const ahead = /^ ?\}/.exec(text.slice(at))
  const complete = (end: number): boolean => {
    const start = openBefore(text, end)
    // A map is closed before its expression is.
    const inside = start === null ? null : text.slice(start, end)
    return inside !== null && inside.split('{').length === inside.split('}').length
  }
  const second = text[at - 1] === '}' && text[at] === '}' && complete(at - 1)
  return ahead !== null && (second || complete(at)) ? at + ahead[0].length : null
}

/** Whether a `}` typed at a position of an expression that is shown without its braces closes the whole expression. */
export function closesExpression(source: string, at: number): boolean {
  const before = source.slice(0, at)
  return (
    before.trim() !== '' &&
    source.slice(at).trim() === '' &&
    !inString(before) &&
    before.split('{').length === before.split('}').length
  )
}

/** Whether a text ends within quotes. */
function inString(source: string): boolean {
  let quote: string | null = null
  for (let at = 0; at < source.length; at += 1) {
    const sign = source[at]
    if (quote === null) quote = sign === '"' || sign === "'" ? sign : null
    else if (sign === '\\') at += 1
    else if (sign === quote) quote = null
  }
  return quote !== null
}

function eventsIn(text: string, at: number, names: () => Names): Offers {
  const word = /[a-z][\w.:]*$/i.exec(text.slice(0, at))?.[0] ?? ''
  return {
    from: at - word.length,
    offers: [
      ...names().events.map(({ type, doc }): Offer => ({
        label: `event:${type}`,
        detail: '',
        info: doc,
        kind: 'event',
        text: `event:${type}`,
      })),
      {
        label: 'event:external.',
        detail: 'comes from outside',
        info: 'An event that another system publishes, such as external.data_ready.',
        kind: 'event',
        text: 'event:external.',
      },
    ],
  }
}
