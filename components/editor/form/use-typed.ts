'use client'

import { useReducer, useRef } from 'react'
import { sameJson } from '@/core/pipeline/match'

export type Typed = { readonly text: string; readonly gives: unknown }

/** Stores unfinished text while the control is not mounted. */
export type TypedPlace = {
  readonly found: () => Typed | null
  readonly keep: (typed: Typed | null) => void
}

/**
 * The text of a control whose text is not the value itself (`1.` of a number, unfinished JSON): as typed, while the value is the one
 * that this text produced.
 *
 * @param place for what may be no value at all: nothing else would know of it
 */
export function useTyped(
  value: unknown,
  show: (value: unknown) => string,
  place?: TypedPlace,
): readonly [string, (text: string, gives: unknown) => void] {
  // No state: the value may be rendered before a state is, and the text would be replaced for that moment.
  const held = useRef<Typed | null | undefined>(undefined)
  if (held.current === undefined) held.current = place?.found() ?? null
  const [, render] = useReducer((count: number) => count + 1, 0)
  const typed = held.current
  const text = typed !== null && sameJson(typed.gives ?? null, value ?? null) ? typed.text : show(value)
  const type = (next: Typed) => {
    held.current = next
    place?.keep(next)
    render()
  }
  return [text, (next, gives) => type({ text: next, gives })]
}
