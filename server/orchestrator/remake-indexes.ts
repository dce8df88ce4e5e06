import type { Entry } from '@/core/engine/event'
import type { ApprovalInbox } from '@/server/ports/registry'
import { INBOX_PAGE } from './execution-check'
import type { Fold } from './fold'
import type { OwnedJournal } from './owned-journal'
import { approvalsOf, rowOf } from './registry-row'

export type RemakePorts = {
  readonly journal: Pick<OwnedJournal, 'commit'>
  readonly approvals: Pick<ApprovalInbox, 'pending'>
  readonly fold: Fold
}

/**
 * Makes the registry row and the inbox of an execution again from its journal. False when it has no journal.
 * @throws what made the fold fail
 */
export async function remakeIndexes(ports: RemakePorts, executionId: string): Promise<boolean> {
  const entries: Entry[] = []
  const state = await ports.fold(executionId, (entry) => void entries.push(entry))
  if (state === null) return false
  const opened = approvalsOf(state, entries)
  const inbox = await ports.approvals.pending({ limit: INBOX_PAGE, executionId })
  const closed = inbox.items
    .map(({ nodeId }) => nodeId)
    .filter((nodeId) => !opened.some((approval) => approval.nodeId === nodeId))
  await ports.journal.commit({
    executions: [
      {
        executionId,
        expectedSeq: state.seq,
        entries: [],
        row: rowOf(state, null),
        approvalsOpened: opened,
        approvalsClosed: closed,
      },
    ],
  })
  return true
}
