'use client'

import { useState } from 'react'
import { bareOf } from './bare-expression'
import { CodeField } from './code-field'
import type { ControlProps } from './controls'
import { useFormHost } from './form-host'
import { useTyped } from './use-typed'

/**
 * A field for an expression, or with `text` for a text with expressions. Where the value is one expression, the field shows what is
 * between the braces, so that nobody has to type them.
 */
export function ExpressionControl({ text: asText, ...props }: ControlProps & { text: boolean }) {
  const { id, title, path, value, onChange, empty, invalid, describedBy, focused = false } = props
  const host = useFormHost()
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
            invalid={invalid}
            describedBy={describedBy}
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

function Brace({ text }: { text: string }) {
  return (
    <span aria-hidden className="self-center font-mono text-xs text-accent">
      {text}
    </span>
  )
}
