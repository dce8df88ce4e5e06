import type { Definition } from '@/components/editor/model/draft/draft'
import { changesOf, coneOf, type Cone } from './cone'

/** Why pinned or tried data of a node no longer fit the draft, as a sentence; null: they do. */
export function staleness(
  definition: Definition,
  id: string,
  data: { readonly cone: Cone },
  since: 'pinned' | 'tried',
): string | null {
  const changes = changesOf(data.cone, coneOf(definition, id), id)
  const [first] = changes
  if (first === undefined) return null
  const when = since === 'pinned' ? 'its data was pinned' : 'it was tried'
  if (first === id) return `It has changed since ${when}.`
  const named = changes.slice(0, 3).join(', ')
  const more = changes.length > 3 ? ` and ${changes.length - 3} more` : ''
  return `${named}${more} changed since ${when}.`
}
