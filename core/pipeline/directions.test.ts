import { expect, it } from 'vitest'
import { endsItsDirections } from './directions'

it('a text ends the directions of writing that it sets', () => {
  for (const text of [
    '',
    'plain',
    'שלום سلام',
    '\u202eevil\u202c',
    '\u2067a \u202bb\u202c\u2069',
    'stray \u202c',
  ])
    expect(endsItsDirections(text), text).toBe(true)
  for (const text of ['\u202eevil', '\u2067a', '\u202ea\u2069', '\u2068a\u202c', '\u202d\u202ea\u202c'])
    expect(endsItsDirections(text), text).toBe(false)
})
