/** What sets a direction of writing (U+202A, U+202B, U+202D, U+202E; isolates U+2066 to U+2068), and what ends it. */
const directions = /[\u202a-\u202e\u2066-\u2069]/g

/**
 * Whether every direction of writing that a text sets ends in it: one that does not would turn round what stands after the text in a
 * sentence (Unicode Standard Annex 9).
 */
export function endsItsDirections(text: string): boolean {
  const open: string[] = []
  for (const [mark] of text.matchAll(directions)) {
    if (mark !== '\u202c' && mark !== '\u2069') open.push(mark < '\u2066' ? '\u202c' : '\u2069')
    else if (open.at(-1) === mark) open.pop()
  }
  return open.length === 0
}
