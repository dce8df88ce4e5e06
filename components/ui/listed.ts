import { useEffect, useSyncExternalStore } from 'react'

/**
 * What the components that are on the page contribute to one list of it: their shortcuts, their commands.
 *
 * @returns two hooks. The first lists something while the calling component is mounted; it must get the same object at every call. The
 * second answers everything that is listed now, what came last at the end.
 */
export function createListing<T>(): readonly [(shown: T) => void, () => readonly T[]] {
  const none: readonly T[] = []
  let all = none
  const listeners = new Set<() => void>()

  function replace(next: readonly T[]): void {
    all = next
    for (const listener of listeners) listener()
  }
  function subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return [
    function useList(shown) {
      useEffect(() => {
        replace([...all, shown])
        return () => replace(all.filter((each) => each !== shown))
      }, [shown])
    },
    function useListed() {
      return useSyncExternalStore(
        subscribe,
        () => all,
        () => none,
      )
    },
  ]
}
