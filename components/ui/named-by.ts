/** What a part of an address says: routes hand it on as it was written there, `%20` and all. */
export function namedBy(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
