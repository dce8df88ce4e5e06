import type { ExecutionState } from '@/core/engine/state'
import type { Journal } from '@/server/ports/journal'
import type { ExecutionRegistry } from '@/server/ports/registry'
import { foldJournal, type Fold } from './fold'
import type { Live } from './live-execution'

export type ReaderPorts = {
  readonly journal: Pick<Journal, 'read'>
  readonly executions: Pick<ExecutionRegistry, 'get'>
  readonly fold: Fold
  /** The execution when the engine has it in memory. */
  readonly live: (executionId: string) => Live | undefined
  /** Resolves when no commit is under way: what is in memory then is durable. */
  readonly durable: () => Promise<void>
  /** Why an execution cannot be read, or null. */
  readonly apart: (executionId: string) => string | null
  /** The journal of the execution cannot be folded. */
  readonly unreadable: (executionId: string, error: unknown) => void
  /** Folded executions that stay in memory, the most recently read. */
  readonly kept: number
}

/**
 * States for who only reads: of the engine's memory where it has the execution, else a fold of the journal of its own. Nothing is taken
 * up, started or counted, whoever else works on the store; a state that was read before is folded on from where it was.
 */
export function createReader(ports: ReaderPorts) {
  const folded = new Map<string, ExecutionState>()
  const underWay = new Map<string, Promise<ExecutionState | null>>()

  async function read(executionId: string): Promise<ExecutionState | null> {
    const reason = ports.apart(executionId)
    if (reason !== null) throw new Error(reason)
    const before = folded.get(executionId)
    folded.delete(executionId)
    let state: ExecutionState | null
    try {
      if (before === undefined) state = await ports.fold(executionId)
      else if ((await ports.executions.get(executionId)) === null) state = null
      else {
        await foldJournal(ports.journal, before)
        state = before
      }
    } catch (error) {
      ports.unreadable(executionId, error)
      throw error
    }
    if (state === null) return null
    folded.set(executionId, state)
    for (const oldest of folded.keys()) {
      if (folded.size <= ports.kept) break
      folded.delete(oldest)
    }
    return state
  }

  return {
    /** Null when there is no such execution. Read-only; valid until the next await. @throws when it cannot be folded */
    async state(executionId: string): Promise<ExecutionState | null> {
      await ports.durable()
      const live = ports.live(executionId)
      if (live?.row) return live.state
      let pending = underWay.get(executionId)
      if (pending === undefined) {
        pending = read(executionId).finally(() => underWay.delete(executionId))
        underWay.set(executionId, pending)
      }
      return pending
    },

    /** The execution was removed, or made again. */
    forget: (executionId: string): void => void folded.delete(executionId),
  }
}

export type Reader = ReturnType<typeof createReader>
