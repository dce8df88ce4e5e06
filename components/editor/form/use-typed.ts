'use client'

import { useState } from 'react'
import { sameJson } from '@/core/pipeline/match'

/**
 * What stands in a control whose text is not the value itself (`1.` of a number, JSON that is not finished): as typed, for as long as
 * the value is the one that came of it.
 */
export function useTyped(
  value: unknown,
  show: (value: unknown) => string,
): readonly [string, (text: string, gives: unknown) => void] {
  const [typed, setTyped] = useState<{ readonly text: string; readonly gives: unknown } | null>(null)
  const text = typed !== null && sameJson(typed.gives ?? null, value ?? null) ? typed.text : show(value)
  return [text, (next, gives) => setTyped({ text: next, gives })]
}
