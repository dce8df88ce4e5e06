/**
 * Ids of traces and spans, as W3C Trace Context writes them. They are functions of what they name: whoever reads a journal, today or after a
 * restart, finds the same ids, and nothing has to remember them.
 */

/** The trace of a run that no other system asked for: 32 hexadecimal digits, never all 0. */
export const traceIdOf = (executionId: string): string => hex(executionId, 4)

/** The span of a run, of a node of it, or of an attempt: 16 hexadecimal digits, never all 0. Parts: execution, node, generation … */
export const spanIdOf = (...parts: readonly (string | number | null)[]): string => hex(parts.join('/'), 2)

/** So many words of 32 bits, each from a hash of its own. */
function hex(text: string, words: number): string {
  let digits = ''
  for (let seed = 1; seed <= words; seed += 1) digits += hash(text, seed).toString(16).padStart(8, '0')
  return /[^0]/.test(digits) ? digits : digits.replace(/0$/, '1')
}

/** Spreads; it protects nothing. */
function hash(text: string, seed: number): number {
  let value = Math.imul(seed, 0x9e3779b1)
  for (let at = 0; at < text.length; at += 1) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x85ebca6b)
    value ^= value >>> 15
  }
  value = Math.imul(value ^ (value >>> 16), 0xc2b2ae35)
  return (value ^ (value >>> 13)) >>> 0
}
