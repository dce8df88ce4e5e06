/** Why a number cannot be taken as it is written. */
export type NumberFault = {
  readonly kind: 'number_too_large' | 'number_inexact'
  readonly message: string
}

/** What to do about a number in JSON or YAML that cannot be taken. */
export const NUMBER_HINT = 'write it in quotes, as text'

/** Numbers of at most so many characters, and without an exponent, are small enough to be held. */
const SHORT = 15
const SHOWN = 80

/**
 * Whether a number as it is written (JSON, YAML or typed) is held by a double as it is written. Up to 2^53 - 1 it is: whole numbers are
 * exact, and a decimal is the double that is next to it. Beyond, it has to come out again with the same digits (`1e20`, `9007199254740992`);
 * `9007199254740993` would become another number. What is no such number (`.inf` of YAML, a word) has no fault here.
 */
export function findNumberFault(literal: string): NumberFault | null {
  if (literal.length <= SHORT && !/e/i.test(literal)) return null
  const text = literal.trim().toLowerCase().replace(/^\+/, '')
  const value = Number(text)
  const shown = literal.slice(0, SHOWN)
  if (value === 0 && /^-?[0.]*[1-9]/.test(text))
    return { kind: 'number_inexact', message: `${shown} would become 0, as it is too close to it` }
  if (Number.isNaN(value) || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return null
  if (!Number.isFinite(value))
    return { kind: 'number_too_large', message: `${shown} is larger than a number can be` }
  const isSame = /^0[box]/.test(text) ? BigInt(text) === BigInt(value) : sameDigits(text, `${value}`)
  if (isSame) return null
  return {
    kind: 'number_inexact',
    message: `${shown} would become ${value}, as whole numbers are exact up to ${Number.MAX_SAFE_INTEGER}`,
  }
}

/** Whether two decimal numbers are the same, however many zeros stand around them and wherever their points are. */
export function sameDigits(a: string, b: string): boolean {
  return digitsOf(a) === digitsOf(b)
}

/** Sign and digits of a decimal number without zeros at its ends, and how many stand before the point: `12300` and `1.23e4` have the same. */
function digitsOf(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)([0-9]*)\.?([0-9]*)(?:e([-+]?[0-9]+))?$/.exec(text) ?? []
  const significant = (whole + fraction).replace(/^0+/, '')
  const leading = whole.length + fraction.length - significant.length
  let end = significant.length
  while (significant[end - 1] === '0') end -= 1
  return end === 0 ? '0' : `${sign}${significant.slice(0, end)}e${whole.length - leading + Number(exponent)}`
}
