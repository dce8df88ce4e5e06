import { z } from 'zod'
import type { LocalCopy, LocalDraft } from './autosave'

/**
 * Copies of drafts in this browser. Each tab has an entry of its own, so that two tabs that are offline do not overwrite each other,
 * and the key holds the user, so that nobody else who signs in here sees them.
 */

const copySchema = z.object({
  text: z.string(),
  known: z.object({ version: z.number(), text: z.string(), base: z.number() }),
})

/** The part of the browser's storage that is used here. */
type LocalStorage = {
  readonly length: number
  key(index: number): string | null
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** `storage` is null where the browser allows no storage. */
export type LocalKey = {
  readonly storage: LocalStorage | null
  readonly user: string
  readonly pipelineId: string
}

const prefixOf = ({ user, pipelineId }: LocalKey) =>
  `penstock.draft/${encodeURIComponent(user)}/${encodeURIComponent(pipelineId)}/`

/** The entry of one tab. `save` returns false where storage is full or not allowed. */
export function createLocalDraft(at: LocalKey, tab: string): LocalDraft {
  const key = `${prefixOf(at)}${tab}`
  return {
    save(copy) {
      if (at.storage === null) return false
      try {
        at.storage.setItem(key, JSON.stringify(copy))
        return true
      } catch {
        return false
      }
    },
    clear: () => at.storage?.removeItem(key),
  }
}

/** The copies that earlier tabs left; `remove` deletes one. Entries that cannot be read are skipped. */
export function readLocalDrafts(at: LocalKey): { readonly copy: LocalCopy; readonly remove: () => void }[] {
  const { storage } = at
  if (storage === null) return []
  const prefix = prefixOf(at)
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')
  return keys
    .filter((key) => key.startsWith(prefix))
    .flatMap((key) => {
      const copy = copySchema.safeParse(valueOf(storage.getItem(key) ?? ''))
      return copy.success ? [{ copy: copy.data, remove: () => storage.removeItem(key) }] : []
    })
}

function valueOf(json: string): unknown {
  try {
    return JSON.parse(json) as unknown
  } catch {
    return null
  }
}
