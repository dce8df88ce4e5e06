/** Requests at once: enough to be quick, few enough to leave the server to others. */
const AT_ONCE = 4

/**
 * Does the same for many, some at a time. What fails keeps nothing from being tried.
 *
 * @returns the failures, in the order of `all`
 */
export async function inTurn<T>(
  all: readonly T[],
  work: (one: T) => Promise<unknown>,
  onProgress: (done: number) => void,
): Promise<readonly { readonly of: T; readonly error: unknown }[]> {
  const failures = new Map<T, unknown>()
  const rest = all.values()
  let done = 0
  const hand = async () => {
    for (const one of rest) {
      try {
        await work(one)
      } catch (error) {
        failures.set(one, error)
      }
      onProgress((done += 1))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, hand))
  return all.flatMap((one) => (failures.has(one) ? [{ of: one, error: failures.get(one) }] : []))
}
