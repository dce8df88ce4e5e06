/** A value on one line, shortened where it is long. */
export function preview(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > 140 ? `${text.slice(0, 140)}…` : text
}
