import { ansiSegments } from './ansi'

/** A line of a log in the colours in which its program printed it. */
export function AnsiText({ line }: { line: string }) {
  return ansiSegments(line).map(({ text, style }, at) =>
    style === undefined ? (
      text
    ) : (
      <span key={at} style={style}>
        {text}
      </span>
    ),
  )
}
