/** Decodes a part of an address: routes pass it encoded (`%20`). */
export function namedBy(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
