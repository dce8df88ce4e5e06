import { findClosingBraces } from '@/core/pipeline/expression/template'

/** The source of a text that is exactly one expression; null for any other text. */
export function bareOf(text: string): string | null {
  const trimmed = text.trim()
  if (trimmed === '') return ''
  if (!trimmed.startsWith('{{') || findClosingBraces(trimmed, 2) !== trimmed.length - 2) return null
  return trimmed.slice(2, -2).trim()
}
