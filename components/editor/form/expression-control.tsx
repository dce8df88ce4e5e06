'use client'

import { useState } from 'react'
import { findClosingBraces } from '@/core/pipeline/expression/template'
import { CodeField } from './code-field'
import type { ControlProps } from './controls'
import { useFormHost } from './form-host'
import { useTyped } from './use-typed'

/** What stands between the braces of a text that is one expression and nothing else; null of any other. */
export function bareOf(text: string): string | null {
  const trimmed = text.trim()
  if (trimmed === '') return ''
  if (!trimmed.startsWith('{{') || findClosingBraces(trimmed, 2) !== trimmed.length - 2) return null
  return trimmed.slice(2, -2).trim()
}

/**
 * An expression, or with `text` a text with expressions in it. Where the value is one expression, what is written is what stands between
 * the braces: they need no typing.
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
            // Another grammar is another editor, in which one goes on writing.
            focused={focused || written}
            invalid={invalid}
            describedBy={describedBy}
            onChange={(typed) => {
              const trimmed = typed.trim()
              // What is pasted may bring its braces along.
              const braced = grammar === 'expression' && trimmed.startsWith('{{') && bareOf(trimmed) !== null
              const next =
                trimmed === ''
                  ? empty
                  : braced
                    ? trimmed
                    : grammar === 'expression'
                      ? `{{ ${trimmed} }}`
                      : typed
              // What is no longer one expression, or has become one, is shown as that.
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
