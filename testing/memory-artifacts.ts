import type { ArtifactStore } from '@/server/ports/artifacts'

/** What the orchestrator asks of contents, in memory. */
export function createMemoryArtifacts(): Pick<ArtifactStore, 'discard'> {
  return { async discard() {} }
}
