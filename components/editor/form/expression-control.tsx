'use client'

import { useState } from 'react'
import { flushSync } from 'react-dom'
import { bareOf } from './bare-expression'
import { CodeField } from './code-field'
import type { ControlProps } from './controls'
import { useFormHost } from './form-host'
import { useTyped } from './use-typed'

/**
 * A field for an expression, or with `text` for a text with expressions. Where the value is one expression, the field shows what is
 * between the braces, so that nobody has to type them. Who types the closing braces goes on behind them, where the value may be a text.
 */
export function ExpressionControl({
  text,
  mayBeText,
  ...props
}: ControlProps & { text: boolean; mayBeText: boolean }) {
  const { id, title, path, value, onChange, empty, invalid, describedBy, focused = false } = props
  const host = useFormHost()
  const [closed, setClosed] = useState(false)
  const asText = text || closed
  const whole = typeof value === 'string' ? value : ''
  const bare = asText ? null : bareOf(whole)
  const [shown, setShown] = useTyped(value, () => bare ?? whole)
  const [written, setWritten] = useState(false)
  const grammar = bare === null ? 'template' : 'expression'
  return (
    <>
      <div className="flex min-w-0 items-stretch gap-1.5">
        {grammar === 'expression' && <Brace text="{{" />}
        <div className="min-w-0 flex-1">
          <CodeField
            key={grammar}
            id={id}
            label={title}
            value={shown}
            grammar={grammar}
            names={() => host.namesAt(path)}
            // Another grammar is another editor, which takes over the focus.
            focused={focused || written}
            {...(closed ? { cursorIn: beforeLastBrace } : {})}
            invalid={invalid}
            describedBy={describedBy}
            onClose={
              mayBeText
                ? // At once: the next key belongs to the field with the braces.
                  () =>
                    flushSync(() => {
                      setClosed(true)
                      setShown(whole, value)
                    })
                : undefined
            }
            onChange={(typed) => {
              const trimmed = typed.trim()
              // A pasted expression may have its braces.
              const braced = grammar === 'expression' && trimmed.startsWith('{{') && bareOf(trimmed) !== null
              const next =
                trimmed === ''
                  ? empty
                  : braced
                    ? trimmed
                    : grammar === 'expression'
                      ? `{{ ${trimmed} }}`
                      : typed
              // A text that became one expression, or stopped being one, is shown accordingly.
              const stays = !braced && (asText || (bareOf(next ?? '') === null) === (bare === null))
              setWritten(true)
              setShown(stays ? typed : (bareOf(next ?? '') ?? next ?? ''), next)
              onChange(next)
            }}
          />
        </div>
        {grammar === 'expression' && <Brace text="}}" />}
      </div>
      {whole.includes('{{') && host.preview(whole, path)}
    </>
  )
}

/** Of the two braces that are closed by typing both. */
const beforeLastBrace = (text: string): number => text.length - 1

function Brace({ text }: { text: string }) {
  return (
    <span aria-hidden className="self-center font-mono text-xs text-accent">
      {text}
    </span>
  )
}
