import Anser from 'anser'
import type { CSSProperties } from 'react'

/** A piece of a line of a terminal: its text without escape codes, and how it looks. Undefined: as the text around it. */
export type AnsiSegment = { readonly text: string; readonly style?: CSSProperties }

const ESC = '\u001b'
const BELL = '\u0007'

/** What is no colour: titles and links (OSC), other kinds of escape, and colours with colons, which the parser takes for text. */
const NO_COLOUR = new RegExp(
  String.raw`${ESC}(?:\][^${BELL}${ESC}]*(?:${BELL}|${ESC}\\)?|\[[\d;]*:[\d;:]*m|[()*+\-./][ -~]|[#%][ -~]|[0-Z^-~])`,
  'g',
)

/** Cuts a line of a log where its look changes. Codes that mean nothing in a log (moves of a cursor, titles) are left out. Pure. */
export function ansiSegments(line: string): readonly AnsiSegment[] {
  const shown = lastWritten(line)
  if (!shown.includes(ESC)) return [{ text: shown }]
  const parts = Anser.ansiToJson(shown.replace(NO_COLOUR, ''), { remove_empty: true })
  return parts.map((part) => {
    const style = styleOf(part)
    // What is left of a code that nobody knows.
    const text = part.content.replaceAll(ESC, '')
    return Object.keys(style).length === 0 ? { text } : { text, style }
  })
}

/** A line without its escape codes: what a reader sees, and looks for. */
export function withoutAnsi(line: string): string {
  return ansiSegments(line)
    .map(({ text }) => text)
    .join('')
}

/** What stands there in the end: a bar of progress returns to the beginning of its line and writes over it. */
function lastWritten(line: string): string {
  if (!line.includes('\r')) return line
  const written = line.replace(/\r+$/, '')
  return written.slice(written.lastIndexOf('\r') + 1)
}

function styleOf({ fg, bg, decorations }: Anser.AnserJsonEntry): CSSProperties {
  const [text, ground] = [rgbOf(fg), rgbOf(bg)]
  const has = (decoration: Anser.DecorationName) => decorations.includes(decoration)
  const lines = [has('underline') && 'underline', has('strikethrough') && 'line-through'].filter(Boolean)
  return {
    // A colour alone is made as light or as dark as the page needs it; two were chosen for each other.
    ...(text === null ? {} : { color: ground === null ? readable(text) : text }),
    ...(ground === null
      ? {}
      : { backgroundColor: text === null ? `color-mix(in oklab, ${ground} 30%, transparent)` : ground }),
    ...(has('bold') ? { fontWeight: 700 } : {}),
    ...(has('dim') ? { opacity: 0.75 } : {}),
    ...(has('italic') ? { fontStyle: 'italic' } : {}),
    ...(lines.length === 0 ? {} : { textDecorationLine: lines.join(' ') }),
  }
}

function readable(colour: string): string {
  return `oklch(from ${colour} clamp(var(--log-darkest), l, var(--log-lightest)) c h)`
}

/** The parser gives a colour as `187, 0, 0`; nothing else gets into a style. */
function rgbOf(colour: string | null): string | null {
  const [, red, green, blue] = /^(\d{1,3}), ?(\d{1,3}), ?(\d{1,3})$/.exec(colour ?? '') ?? []
  return red === undefined ? null : `rgb(${red} ${green} ${blue})`
}
