import { useEffect, useSyncExternalStore } from 'react'

/** The shortcuts of the components that are on the page, for the one list that shows them all. */

export type ShortcutRow = { readonly keys: readonly string[]; readonly text: string }
export type ShortcutGroup = { readonly title: string; readonly rows: readonly ShortcutRow[] }

let groups: readonly ShortcutGroup[] = []
const listeners = new Set<() => void>()

function replace(next: readonly ShortcutGroup[]): void {
  groups = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Lists these groups while the calling component is mounted. `shown` must be the same object at every call. */
export function useListShortcuts(shown: readonly ShortcutGroup[]): void {
  useEffect(() => {
    replace([...groups, ...shown])
    return () => replace(groups.filter((group) => !shown.includes(group)))
  }, [shown])
}

const NONE: readonly ShortcutGroup[] = []

/** The groups that are listed now. */
export function useListedShortcuts(): readonly ShortcutGroup[] {
  return useSyncExternalStore(
    subscribe,
    () => groups,
    () => NONE,
  )
}
