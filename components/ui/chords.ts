/**
 * Key chords as text: `Mod+Shift+Z`, `Delete`, `+`, `/`. `Mod` is Ctrl, on a Mac Cmd. Letters are read from the physical key where the
 * layout has no Latin ones; for other signs only the sign counts, whichever modifiers type it.
 */
export type Chord = string

type Press = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

const partsOf = (chord: Chord): { readonly key: string; readonly modifiers: readonly string[] } => {
  const parts = chord.endsWith('+')
    ? [...chord.slice(0, -1).split('+').filter(Boolean), '+']
    : chord.split('+')
  return { key: parts.at(-1) ?? '', modifiers: parts.slice(0, -1) }
}

const letterOf = ({ key, code }: Press): string =>
  /^[a-z]$/i.test(key) || !/^Key[A-Z]$/.test(code) ? key : code.slice(3)

/** Whether a press of a key is that chord. */
export function isChord(press: Press, chord: Chord): boolean {
  const { key, modifiers } = partsOf(chord)
  const isSign = key.length === 1 && !/[a-z0-9]/i.test(key)
  return (
    letterOf(press).toLowerCase() === key.toLowerCase() &&
    (press.ctrlKey || press.metaKey) === modifiers.includes('Mod') &&
    press.altKey === modifiers.includes('Alt') &&
    (isSign || press.shiftKey === modifiers.includes('Shift'))
  )
}

const shownKeys: Readonly<Record<string, string>> = {
  Mod: 'Ctrl',
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
}

/** On an element around what has the focus: there a key alone is no shortcut, because people mean to type. */
export const noSingleKeys = { 'data-no-single-keys': '' }

/** Whether a chord counts while that element has the focus. */
export function countsAt(chord: Chord, target: EventTarget | null): boolean {
  const { key, modifiers } = partsOf(chord)
  const alone = key !== 'Escape' && !modifiers.includes('Mod') && !modifiers.includes('Alt')
  return !(alone && target instanceof Element && target.closest('[data-no-single-keys]') !== null)
}

/** The keys of a chord as they are shown: `Ctrl`, `Shift`, `Z`. */
export function keysOfChord(chord: Chord): readonly string[] {
  const { key, modifiers } = partsOf(chord)
  return [...modifiers, key].map((part) => shownKeys[part] ?? part)
}
