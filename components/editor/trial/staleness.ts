import type { Definition } from '@/components/editor/draft/draft'
import { changesOf, coneOf } from './cone'
import type { Kept } from './trial-store'

/** Why what was kept of a node is stale, as a sentence; null: it is not. */
export function staleness(
  definition: Definition,
  id: string,
  kept: Kept,
  since: 'pinned' | 'tried',
): string | null {
  const changes = changesOf(kept.cone, coneOf(definition, id), id)
  const [first] = changes
  if (first === undefined) return null
  const when = since === 'pinned' ? 'its data was pinned' : 'it was tried'
  if (first === id) return `It has changed since ${when}.`
  const named = changes.slice(0, 3).join(', ')
  const more = changes.length > 3 ? ` and ${changes.length - 3} more` : ''
  return `${named}${more} changed since ${when}.`
}
