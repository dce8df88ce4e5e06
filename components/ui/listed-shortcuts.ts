import { createListing } from './listed'

/** The shortcuts of the components that are on the page, for the one list that shows them all. */

export type ShortcutRow = { readonly keys: readonly string[]; readonly text: string }
export type ShortcutGroup = { readonly title: string; readonly rows: readonly ShortcutRow[] }

/** `useListShortcuts` lists these groups while the calling component is mounted. They must be the same object at every call. */
export const [useListShortcuts, useListedShortcuts] = createListing<readonly ShortcutGroup[]>()
