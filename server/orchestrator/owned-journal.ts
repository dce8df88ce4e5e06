import type { Batch, CommitResult, ExecutionWrite, Journal, Ownership } from '@/server/ports/journal'

/** A write as the engine makes it: who writes is added on its way. */
export type OwnWrite = Omit<ExecutionWrite, keyof Ownership>
export type OwnBatch = Omit<Batch, 'executions'> & { readonly executions: readonly OwnWrite[] }

/** The journal as one engine writes it: under its own claim, and only as long as that is the latest. */
export type OwnedJournal = Pick<Journal, 'read'> & {
  /** Makes this engine the only writer. Nothing is written before. */
  claim(): Promise<void>
  /**
   * As `Journal.commit`.
   * @throws when another engine has claimed the store since: nothing may be acknowledged any more, as with any failed commit
   */
  commit(batch: OwnBatch): Promise<Omit<CommitResult, 'ownedBy'>>
}

/** @param owner a name that distinguishes this engine from others, for people who look for it */
export function createOwnedJournal(journal: Journal, owner: string): OwnedJournal {
  let epoch: number | null = null
  return {
    read: journal.read.bind(journal),
    async claim() {
      epoch = await journal.claim(owner)
    },
    async commit({ executions, ...batch }) {
      if (epoch === null) throw new Error(`invariant: ${owner} has not claimed the journal and cannot write`)
      const own = { owner, epoch }
      const result = await journal.commit({
        ...batch,
        executions: executions.map((write) => ({ ...write, ...own })),
      })
      if (result.ownedBy === undefined) return result
      const other = `${result.ownedBy.owner} (epoch ${result.ownedBy.epoch})`
      throw new Error(
        `another engine has taken over this store: ${other} writes now, and ${owner} (epoch ${epoch}) may not. Run one server per data folder, and stop the other one.`,
      )
    },
  }
}
