/** Why an execution cannot be removed: it still goes on, it goes with its parent, or there is none. */
export type NotRemoved = 'open' | 'child' | 'missing'

/**
 * Removes executions whole, and nothing of any other [N-17, E-8]. The first write takes the execution from everybody's sight;
 * its rows go in steps that are short enough for commits in between. What was begun is ended after a crash.
 */
export interface Retention {
  /** Closed at or before `closedBy` (milliseconds since the epoch) and no child of one that is there; longest closed first. */
  expired(closedBy: number, limit: number): Promise<string[]>
  /** When the next one after `closedAfter` that `expired` could name was closed; null when there is none. */
  nextClosedAt(closedAfter: number): Promise<number | null>
  /** From then on nobody finds the execution, and no late write of it is taken. `evenOpen`: also one that has not closed. */
  begin(executionId: string, options?: { readonly evenOpen: boolean }): Promise<'begun' | NotRemoved>
  /** What was stored for an execution that was refused is removed with the next steps. */
  abandon(executionId: string): Promise<void>
  /**
   * Removes the next few rows of what was begun. Answers with the closed children that nobody finds any more from now on
   * (those that are open are left, and go on their own); null when nothing is left.
   */
  step(): Promise<readonly string[] | null>
  /** Gives a little of the room that became free back to the disk. False when there is none. */
  compact(): Promise<boolean>
  /** Digests of contents that lost their last row; they may have got another since. */
  unusedContents(limit: number): Promise<string[]>
  /** Forgets that the content lost its last row: it is gone, or used again. */
  settleContent(digest: string): Promise<void>
}
