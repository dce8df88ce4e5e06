/** The first of `types` that an `Accept` header names; null where any type comes first, or none of them is named. */
export function accepted(header: string | undefined, types: readonly string[]): string | null {
  const first = (header ?? '')
    .split(',')
    // A weight of 0 says “not this one”; other weights are not compared.
    .filter((part) => !/;\s*q=0(?:\.0*)?\s*$/i.test(part))
    .map((part) => part.split(';')[0]?.trim().toLowerCase() ?? '')
    .find((type) => type === '*/*' || types.includes(type))
  return first === undefined || first === '*/*' ? null : first
}
