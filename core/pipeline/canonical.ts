/**
 * Canonical JSON: keys sorted, no spaces, so that two documents of equal content give equal text whatever order they were
 * written in. Undefined members are left out, as JSON does. Numbers print as JavaScript prints them.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    // By code unit, the same everywhere; a locale would not be.
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`)
  return `{${members.join(',')}}`
}
