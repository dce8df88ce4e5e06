import { z } from 'zod'
import type { Kept, Shelf } from './keeping'

/**
 * What of drafts lies in this browser: one entry a tab, so that two tabs without a line do not overwrite each other, and
 * under the name of its author, so that nobody else finds it.
 */

const keptSchema = z.object({
  text: z.string(),
  known: z.object({ version: z.number(), text: z.string(), base: z.number() }),
})

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>
/** `storage` is null where the browser lets a page keep nothing. */
type Place = { readonly storage: Storage | null; readonly user: string; readonly pipelineId: string }

const prefixOf = ({ user, pipelineId }: Place) =>
  `penstock.draft/${encodeURIComponent(user)}/${encodeURIComponent(pipelineId)}/`

/** The shelf of one tab. A browser without room, or that lets nothing be kept, is told by `put`. */
export function createShelf(place: Place, tab: string): Shelf {
  const key = `${prefixOf(place)}${tab}`
  return {
    put(kept) {
      if (place.storage === null) return false
      try {
        place.storage.setItem(key, JSON.stringify(kept))
        return true
      } catch {
        return false
      }
    },
    clear: () => place.storage?.removeItem(key),
  }
}

/** Everything that tabs have left, each taken off its shelf by `forget`. What cannot be read is none. */
export function leftBehind(place: Place): { readonly kept: Kept; readonly forget: () => void }[] {
  const { storage } = place
  if (storage === null) return []
  const prefix = prefixOf(place)
  const keys = Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? '')
  return keys
    .filter((key) => key.startsWith(prefix))
    .flatMap((key) => {
      const kept = keptSchema.safeParse(valueOf(storage.getItem(key) ?? ''))
      return kept.success ? [{ kept: kept.data, forget: () => storage.removeItem(key) }] : []
    })
}

function valueOf(json: string): unknown {
  try {
    return JSON.parse(json) as unknown
  } catch {
    return null
  }
}
