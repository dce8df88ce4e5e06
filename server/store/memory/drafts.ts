import { DRAFT_BEGINNING, DRAFTS_MAX, type DraftStore } from '@/server/ports/drafts'
import { requireLimit } from '@/server/store/bounds'
import { readCursor, pageOf } from '@/server/store/cursor'
import { draftVersion } from '@/server/store/draft-version'
import { compareKeys, copyOf, keyOf } from './disk'
import type { MemoryDisk } from './disk'

const LIST_MAX = 1_000

export function createMemoryDrafts(disk: MemoryDisk): DraftStore {
  const ofUser = (userId: string) => [...disk.drafts.values()].filter((row) => row.userId === userId)

  return {
    async get(userId, pipelineId) {
      return copyOf(disk.drafts.get(keyOf(userId, pipelineId)) ?? null)
    },
    async list(userId, range) {
      const limit = requireLimit(range.limit, LIST_MAX)
      const [after = ''] = range.cursor === undefined ? [] : readCursor(range.cursor, ['string'])
      const found = ofUser(userId)
        .filter((row) => row.pipelineId > String(after))
        .sort((a, b) => compareKeys([a.pipelineId], [b.pipelineId]))
        .map(({ text, ...row }) => ({ ...row, beginning: text.slice(0, DRAFT_BEGINNING) }))
      return copyOf(pageOf(found, limit, (row) => [row.pipelineId]))
    },
    async put(draft, ifMatch) {
      const key = keyOf(draft.userId, draft.pipelineId)
      const before = disk.drafts.get(key)?.version ?? null
      if ((before ?? 0) !== ifMatch) return { stale: before ?? 0 }
      if (before === null && ofUser(draft.userId).length >= DRAFTS_MAX) return 'full'
      const version = draftVersion(before, draft.updatedAt)
      disk.drafts.set(key, copyOf({ ...draft, version }))
      return { version }
    },
    async remove(userId, pipelineId, ifMatch) {
      const key = keyOf(userId, pipelineId)
      if (ifMatch !== undefined && disk.drafts.get(key)?.version !== ifMatch) return false
      return disk.drafts.delete(key)
    },
  }
}
