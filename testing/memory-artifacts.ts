import { createHash } from 'node:crypto'
import type { LargeValues } from '@/core/engine/large-values'
import { createLargeValues } from '@/server/orchestrator/large-values'
import type { ArtifactStore } from '@/server/ports/artifacts'
import type { ArtifactRow } from '@/server/ports/registry'

/** What the orchestrator asks of artifacts, in memory; `contents` can be looked at, and lost. */
export function createMemoryArtifacts() {
  const rows = new Map<string, ArtifactRow>()
  const contents = new Map<string, Uint8Array>()
  const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
  const artifacts: Pick<
    ArtifactStore,
    'putBytes' | 'get' | 'list' | 'share' | 'digestOf' | 'contentOf' | 'discard'
  > = {
    async putBytes({ executionId, nodeId, name, contentType, bytes, artifactId = `a${rows.size}` }) {
      const digest = digestOf(bytes)
      const about = { artifactId, executionId, nodeId, name, contentType }
      const row = { ...about, bytes: bytes.byteLength, digest, createdAt: 0 }
      rows.set(`${executionId}/${artifactId}`, row)
      contents.set(digest, bytes)
      return row
    },
    get: async (executionId, artifactId) => rows.get(`${executionId}/${artifactId}`) ?? null,
    list: async (executionId) => [...rows.values()].filter((row) => row.executionId === executionId),
    async share(row, executionId) {
      rows.set(`${executionId}/${row.artifactId}`, { ...row, executionId })
    },
    digestOf,
    contentOf: (digest) => contents.get(digest) ?? null,
    async discard(digest) {
      contents.delete(digest)
    },
  }
  return { ...artifacts, rows, contents }
}

/** The large values of one execution, in memory. */
export function createMemoryValues(executionId: string): LargeValues {
  return createLargeValues(createMemoryArtifacts()).of(executionId)
}
