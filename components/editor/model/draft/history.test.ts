import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyEdit, inverseOf, NO_HISTORY, record, redo, textEdit, undo, type History } from './history'

const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'ä', '😀'), maxLength: 12 })

/** All steps back, then all forward. */
function travel(history: History, at: string, step: typeof undo): string {
  let [now, present] = [history, at]
  for (let moved = step(now, present); moved !== null; moved = step(now, present)) {
    now = moved.history
    present = moved.text
  }
  return present
}

describe('the undo history', () => {
  it('keeps what changed and nothing else, and every edit has an inverse', () => {
    expect(textEdit('one two three', 'one 2 three')).toEqual({ at: 4, removed: 'two', inserted: '2' })
    expect(textEdit('same', 'same')).toBeNull()
    fc.assert(
      fc.property(text, text, (before, after) => {
        const edit = textEdit(before, after) ?? { at: 0, removed: '', inserted: '' }
        expect(applyEdit(before, edit)).toBe(after)
        expect(applyEdit(after, inverseOf(edit))).toBe(before)
      }),
    )
  })

  it('finds what changed in a text of many characters', () => {
    const long = (at: number, insert: string) => `${'ab'.repeat(at)}${insert}${'ba'.repeat(9_000)}`
    fc.assert(
      fc.property(fc.nat(9_000), text, text, (at, old, now) => {
        const edit = textEdit(long(at, old), long(at, now))
        if (edit === null) {
          expect(old).toBe(now)
          return
        }
        expect(applyEdit(long(at, old), edit)).toBe(long(at, now))
        // As little as can be: it begins and ends with what differs.
        const { removed, inserted } = edit
        expect(removed.length + inserted.length).toBeLessThanOrEqual(old.length + now.length)
        if (removed !== '' && inserted !== '') {
          expect(removed[0]).not.toBe(inserted[0])
          expect(removed.at(-1)).not.toBe(inserted.at(-1))
        }
      }),
    )
  })

  it('goes all the way back and all the way forward, however steps were grouped', () => {
    const group = fc.constantFrom(null, 'code', 'field')
    const steps = fc.array(fc.record({ after: text, group, pause: fc.integer({ min: 0, max: 2_000 }) }))
    fc.assert(
      fc.property(text, steps, (first, all) => {
        let [history, before, now] = [NO_HISTORY, first, 0]
        for (const { after, group: of, pause } of all) {
          now += pause
          history = record(history, { before, after, label: 'edit', group: of, now })
          before = after
        }
        expect(travel(history, before, undo)).toBe(first)
        let [undone, at] = [history, before]
        for (let step = undo(undone, at); step !== null; step = undo(undone, at)) {
          undone = step.history
          at = step.text
        }
        expect(travel(undone, at, redo)).toBe(before)
      }),
    )
  })

  it('letters of a word are one step, a pause or another field begins the next', () => {
    let history = NO_HISTORY
    let before = ''
    const type = (after: string, group: string, now: number) => {
      history = record(history, { before, after, label: 'type', group, now })
      before = after
    }
    type('a', 'name', 0)
    type('ab', 'name', 400)
    type('ab c', 'name', 800)
    expect(history.past).toHaveLength(1)
    type('ab cd', 'name', 2_000)
    type('ab cde', 'other', 2_100)
    expect(history.past).toHaveLength(3)
    const back = undo(history, before)!
    expect([back.text, back.step.label]).toEqual(['ab cd', 'type'])
    // Something new after an undo: what was undone is gone, and it is no part of the step before it.
    const again = record(back.history, {
      before: back.text,
      after: 'ab cdx',
      label: 'type',
      group: 'name',
      now: 2_200,
    })
    expect([again.past.length, again.future.length]).toEqual([3, 0])
  })
})
