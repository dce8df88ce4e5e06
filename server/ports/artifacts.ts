import type { Readable } from 'node:stream'
import type { ArtifactRow } from './registry'

/** Content-addressed files with a row each. `put` takes a file that the store may move; the row is durable when it resolves. */
export interface ArtifactStore {
  putFile(artifact: {
    executionId: string
    nodeId: string
    name: string
    contentType: string
    path: string
  }): Promise<ArtifactRow>
  putBytes(artifact: {
    executionId: string
    nodeId: string
    name: string
    contentType: string
    bytes: Uint8Array
    /** Its id in the execution where the caller has one; else a new one. */
    artifactId?: string
  }): Promise<ArtifactRow>
  /** The digest under which these bytes lie, or would. */
  digestOf(bytes: Uint8Array): string
  /** A whole content at once, held against its digest; null when it is not there or is damaged. */
  contentOf(digest: string): Uint8Array | null
  get(executionId: string, artifactId: string): Promise<ArtifactRow | null>
  list(executionId: string): Promise<ArtifactRow[]>
  open(row: ArtifactRow, range?: { start: number; end: number }): Readable
  /** Makes an artifact of one execution one of another, too, under the same id; the content is the same. */
  share(row: ArtifactRow, executionId: string): Promise<void>
  /** Removes a content when no row has it any more; never beside a put of the same content. */
  discard(digest: string): Promise<void>
  /** Absolute path of the (read-only) content, for tasks that take an artifact as a file. */
  pathOf(row: ArtifactRow): string
}

/** The rows of artifacts; `insert` resolves when the row is on disk. An id that the execution has already changes nothing. */
export interface ArtifactRows {
  insert(row: ArtifactRow): Promise<void>
  /** Has any row of any execution this content? */
  isUsed(digest: string): Promise<boolean>
  get(executionId: string, artifactId: string): Promise<ArtifactRow | null>
  /** Oldest first. */
  list(executionId: string): Promise<ArtifactRow[]>
}
