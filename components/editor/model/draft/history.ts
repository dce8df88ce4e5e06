/**
 * The undo history of a draft. Every edit, on the canvas, in a form or in the code, is an edit of the text, and is stored as the part
 * that changed, so that the history of a large pipeline stays small. Pure; every step can be undone and redone.
 */

/** `removed` was replaced by `inserted` at `at`, in characters from the start. */
export type TextEdit = { readonly at: number; readonly removed: string; readonly inserted: string }

export type Step = {
  readonly edit: TextEdit
  /** What was done, in words for people: "Move 3 nodes". */
  readonly label: string
  /** Steps of one group that follow each other within a second are one, such as the letters of a word. */
  readonly group: string | null
  /** Milliseconds of the latest part. */
  readonly doneAt: number
}

export type History = { readonly past: readonly Step[]; readonly future: readonly Step[] }

export const NO_HISTORY: History = { past: [], future: [] }

/** Steps that can be undone; older ones are forgotten. */
const MOST_STEPS = 500
/** Longest pause within a group. */
const PAUSE_MS = 1_000

const MANY = 4_096

/** What differs, from the first character that does to the last; null when nothing does. */
export function textEdit(before: string, after: string): TextEdit | null {
  if (before === after) return null
  const shorter = Math.min(before.length, after.length)
  // Texts have hundreds of thousands of characters, most of them the same: those are compared many at once.
  let at = 0
  while (at + MANY <= shorter && before.slice(at, at + MANY) === after.slice(at, at + MANY)) at += MANY
  while (at < shorter && before.charCodeAt(at) === after.charCodeAt(at)) at += 1
  let tail = 0
  while (
    tail + MANY <= shorter - at &&
    before.slice(before.length - tail - MANY, before.length - tail) ===
      after.slice(after.length - tail - MANY, after.length - tail)
  )
    tail += MANY
  while (
    tail < shorter - at &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail += 1
  return {
    at,
    removed: before.slice(at, before.length - tail),
    inserted: after.slice(at, after.length - tail),
  }
}

export function applyEdit(text: string, { at, removed, inserted }: TextEdit): string {
  return text.slice(0, at) + inserted + text.slice(at + removed.length)
}

export const inverseOf = ({ at, removed, inserted }: TextEdit): TextEdit => ({
  at,
  removed: inserted,
  inserted: removed,
})

/** The history after `before` became `after`; what had been undone is forgotten. The same history when nothing changed. */
export function record(
  history: History,
  {
    before,
    after,
    label,
    group,
    now,
  }: { before: string; after: string; now: number } & Pick<Step, 'label' | 'group'>,
): History {
  const edit = textEdit(before, after)
  if (edit === null) return history
  const last = history.past.at(-1)
  if (last === undefined || !continues(last, history, group, now))
    return { past: [...history.past, { edit, label, group, doneAt: now }].slice(-MOST_STEPS), future: [] }
  const whole = textEdit(applyEdit(before, inverseOf(last.edit)), after)
  const past = history.past.slice(0, -1)
  // What comes back to where it began was nothing.
  return { past: whole === null ? past : [...past, { edit: whole, label, group, doneAt: now }], future: [] }
}

function continues(last: Step, { future }: History, group: string | null, now: number): boolean {
  return group !== null && future.length === 0 && last.group === group && now - last.doneAt <= PAUSE_MS
}

/** One step back, or null when there is none. */
export function undo(history: History, text: string): { history: History; text: string; step: Step } | null {
  const step = history.past.at(-1)
  if (step === undefined) return null
  return {
    history: { past: history.past.slice(0, -1), future: [step, ...history.future] },
    text: applyEdit(text, inverseOf(step.edit)),
    step,
  }
}

/** One step forward again, or null when nothing was undone. */
export function redo(history: History, text: string): { history: History; text: string; step: Step } | null {
  const [step, ...future] = history.future
  if (step === undefined) return null
  return {
    history: { past: [...history.past, { ...step, group: null }], future },
    text: applyEdit(text, step.edit),
    step,
  }
}
