import type { Page } from './page'

/** What a person has written and not yet published: any text, also one that cannot be read. */
export type DraftRow = {
  /** The id of its only reader. */
  readonly userId: string
  /** Their name as it was shown when they saved it. */
  readonly userName: string
  /** There need not be a pipeline of that id. */
  readonly pipelineId: string
  /** The revision that was changed; 0: of none, a new pipeline. */
  readonly baseRevision: number
  readonly text: string
  readonly format: 'yaml' | 'json'
  /** Grows with every save and is never given again, also not after the draft was removed. */
  readonly version: number
  /** Milliseconds since the epoch. */
  readonly updatedAt: number
}

export type ListedDraft = Omit<DraftRow, 'text'> & { readonly beginning: string }

export const DRAFT_BEGINNING = 2_000

/** The most drafts that one person keeps. */
export const DRAFTS_MAX = 200

/** Drafts, one for each person and pipeline. Publishing removes that of who publishes, in the transaction of the revision. */
export interface DraftStore {
  get(userId: string, pipelineId: string): Promise<DraftRow | null>
  /** In order of the pipeline's id, of their texts the beginning: DRAFT_BEGINNING characters. */
  list(userId: string, range: { limit: number; cursor?: string }): Promise<Page<ListedDraft>>
  /**
   * Saves on top of the version that was seen; 0: there is none. `stale` has the version that is there (0: none), and
   * nothing is written then. `full`: a new one past DRAFTS_MAX. Resolves when durable.
   */
  put(
    draft: Omit<DraftRow, 'version'>,
    ifMatch: number,
  ): Promise<{ version: number } | { stale: number } | 'full'>
  /** With a version only that one; false when there is none (of that version). */
  remove(userId: string, pipelineId: string, ifMatch?: number): Promise<boolean>
}
