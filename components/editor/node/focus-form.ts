import { nearestMark } from '@/components/editor/form/field-mark'
import type { Path } from '@/core/pipeline/json-edits'

/** How long a form may take to appear, in milliseconds: at its first time it is loaded. */
const PATIENCE_MS = 3_000

const writable = 'input, textarea, select, [contenteditable="true"]'

/** Gives the keyboard to the first field of the form of that name, which is being opened. */
export function focusForm(name: string): void {
  whenOpen(name, (form) => form.querySelector<HTMLElement>(writable))
}

/** Gives the keyboard to the field of a path in the form of that name; to the nearest one around it where it has no field of its own. */
export function focusField(name: string, path: Path): void {
  let unfolded = false
  whenOpen(name, (form) => {
    const fold = [...form.querySelectorAll<HTMLDetailsElement>('details[data-fields]:not([open])')].find(
      (one) => nearestMark(marksIn(one.dataset['fields']), path) >= 0,
    )
    if (fold !== undefined && !unfolded) {
      unfolded = true
      fold.querySelector('summary')?.click()
      return null
    }
    const fields = [...form.querySelectorAll<HTMLElement>('[data-field]')]
    const field =
      fields[
        nearestMark(
          fields.map((one) => JSON.parse(one.dataset['field'] ?? '[]') as Path),
          path,
        )
      ]
    return (
      field?.querySelector<HTMLElement>(writable) ??
      field?.querySelector<HTMLElement>('button') ??
      form.querySelector<HTMLElement>(writable)
    )
  })
}

const marksIn = (marks = '[]'): readonly Path[] => JSON.parse(marks) as readonly Path[]

/** Focuses what is found in the form of that name, as soon as it is there. */
function whenOpen(name: string, find: (form: Element) => HTMLElement | null): void {
  const until = performance.now() + PATIENCE_MS
  const before = document.activeElement
  const look = () => {
    const form = [...document.querySelectorAll('[role="region"]')].find(
      (region) => region.getAttribute('aria-label') === name,
    )
    const field = form === undefined ? null : find(form)
    if (field !== null) field.focus()
    // The focus is not taken from an element that got it meanwhile.
    else if (performance.now() < until && document.activeElement === before) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}
