type Parameters = { readonly get: (name: string) => string | null }

/** The revisions that an address compares (`?from=…&to=…`), at most two, in the order of choosing. */
export function readChosen(params: Parameters): readonly number[] {
  return [params.get('from'), params.get('to')]
    .map(Number)
    .filter((each) => Number.isInteger(each) && each > 0)
}

/** The address of a choice. */
export function writeChosen(chosen: readonly number[]): URLSearchParams {
  const params = new URLSearchParams()
  for (const [at, each] of chosen.entries()) params.set(at === 0 ? 'from' : 'to', String(each))
  return params
}

/** Chooses a revision, or no longer. Two can be chosen: a third replaces the second. */
export function toggleChosen(chosen: readonly number[], revision: number): readonly number[] {
  return chosen.includes(revision)
    ? chosen.filter((each) => each !== revision)
    : [...chosen.slice(0, 1), revision]
}
