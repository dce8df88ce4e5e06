/**
 * A text in which an expression has just been begun, with room for it: its braces are closed, be it that they were typed alone or
 * that an editor put the closing ones.
 */
export function withRoom(text: string): string {
  return text.endsWith('{{') ? `${text} }}` : text.replace('{{}}', '{{ }}')
}

/** Where the cursor goes in a text: into its first empty expression, else to its end. */
export function placeToWrite(text: string): number {
  const empty = text.indexOf('{{ }}')
  return empty < 0 ? text.length : empty + '{{'.length
}
