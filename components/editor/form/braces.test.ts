import { describe, expect, it } from 'vitest'
import { placeToWrite, withRoom } from './braces'

/** The text with a bar where one goes on writing. */
const shown = (text: string): string => {
  const at = placeToWrite(text)
  return `${text.slice(0, at)}|${text.slice(at)}`
}

describe('an expression that is begun within a text', () => {
  it.each([
    ['no rows: {{', 'no rows: {{| }}'],
    ['no rows: {{}}', 'no rows: {{| }}'],
    ['no {{}} rows', 'no {{| }} rows'],
    ['pasted {{ a.b }} whole', 'pasted {{ a.b }} whole|'],
  ])('%j is gone on with at %j', (typed, written) => {
    expect(shown(withRoom(typed))).toBe(written)
  })
})
