/** Requests at once: enough to be quick, few enough to leave the server to others. */
const AT_ONCE = 4

export type Failure<T = string> = { readonly of: T; readonly error: unknown }

/**
 * Does the same work for many, a few at a time. All are tried, whichever fail.
 *
 * @returns the failures, in the order of `all`
 */
export async function inTurn<T>(
  all: readonly T[],
  work: (one: T) => Promise<unknown>,
  onProgress: (done: number) => void,
): Promise<readonly Failure<T>[]> {
  const failures = new Map<T, unknown>()
  const rest = all.values()
  let done = 0
  const worker = async () => {
    for (const one of rest) {
      try {
        await work(one)
      } catch (error) {
        failures.set(one, error)
      }
      onProgress((done += 1))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return all.flatMap((one) => (failures.has(one) ? [{ of: one, error: failures.get(one) }] : []))
}
