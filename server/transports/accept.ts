/** The first of `types` that an `Accept` header names; null where any type comes first, or none of them is named. */
export function accepted(header: string | undefined, types: readonly string[]): string | null {
  const first = (header ?? '')
    .split(',')
    .map((part) => part.split(';')[0]?.trim().toLowerCase() ?? '')
    .find((type) => type === '*/*' || types.includes(type))
  return first === undefined || first === '*/*' ? null : first
}
