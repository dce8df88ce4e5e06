import type { Principal } from '@/core/engine/principal'
import { isDomainError } from '@/server/operations/domain-error'
import { readEntries } from '@/server/operations/read-entries'
import { frameOf, type Frame } from './frame'
import type { Hub } from './hub'
import { FEW_ENTRIES } from './turns'

/** Most entries that are read from the journal at once. */
export const pageSize = 500
/** As few are read at once for a reader that takes no more. */
const leastPage = 8

export const CLOSED = 'pipeline.closed'

type Reader = {
  isFull(): boolean
  readonly isOpen: boolean
  /** Gets every frame exactly once, in order of seq. */
  emit(frame: Frame): void
  /** The execution has closed and everything was emitted: nothing will come unless it is run again. May be called again. */
  closed(): void
  /** Everything that is committed was emitted, and what comes will be as it comes. */
  current(): void
  /** The journal cannot be read any further, and will not be until somebody repairs it. */
  unreadable(): void
  /** The execution was removed. The follower has stopped. */
  removed(): void
}

/**
 * One reader of one execution. The wake-up subscription comes first, then the journal after the position, then the commits as they
 * come. Whoever falls behind (a slow reader, a gap, a lost wake-up) is served from the journal again: nothing is queued for
 * a reader, so a slow one delays nobody.
 */
export class Follower {
  position: number
  readonly #executionId: string
  readonly #forget: () => void
  #live = false
  #newest = 0
  #catchingUp = false
  #over = false
  /** Entries to read at once: what a slow reader does not take is read again, so it is not read in hundreds. */
  #page = pageSize
  /** Type of the last frame that was emitted. A close that others follow (the run was run again) is not the end. */
  #last: string | null = null

  constructor(
    private readonly hub: Hub,
    private readonly caller: Principal,
    from: { readonly executionId: string; readonly position: number },
    private readonly reader: Reader,
  ) {
    this.position = from.position
    this.#executionId = from.executionId
    this.#forget = hub.watch(from.executionId, {
      onCommit: (frames) => this.#onCommit(frames),
      onRemoved: () => this.#onRemoved(),
    })
  }

  /** Looks again: reads what the journal has after the position. Harmless at any time. */
  poll(): void {
    this.#live = false
    if (this.#catchingUp || this.#over) return
    this.#catchingUp = true
    this.#catchUp().catch((error: unknown) => {
      if (!isDomainError(error)) return this.hub.options.onDefect(error)
      if (error.code === 'not_found') return this.#onRemoved()
      this.stop()
      this.reader.unreadable()
    })
  }

  /** Whether everything that is committed was emitted. */
  get isCurrent(): boolean {
    return this.#live
  }

  stop(): void {
    this.#over = true
    this.#forget()
  }

  #onCommit(frames: readonly Frame[]): void {
    this.#newest = Math.max(this.#newest, frames.at(-1)?.seq ?? 0)
    if (!this.#live) return
    for (const frame of frames) {
      if (frame.seq <= this.position) continue
      if (frame.seq !== this.position + 1 || this.reader.isFull()) return this.poll()
      this.#emit(frame)
    }
    if (this.#last === CLOSED) this.reader.closed()
  }

  #onRemoved(): void {
    if (this.#over) return
    this.stop()
    this.reader.removed()
  }

  async #catchUp(): Promise<void> {
    try {
      while (!this.#over && this.reader.isOpen && !this.reader.isFull()) {
        const page = await readEntries(this.hub.options.ctx, this.caller, {
          execution_id: this.#executionId,
          after: this.position,
          limit: this.#page,
        })
        if (page.entries.length > FEW_ENTRIES) await this.hub.turns.next()
        for (const [taken, entry] of page.entries.entries()) {
          if (this.#over) return
          if (this.reader.isFull()) {
            // It says so when it is not: what is left of the page is read again then.
            this.#page = Math.max(leastPage, Math.min(2 * taken, pageSize))
            return
          }
          this.#emit(frameOf(entry))
        }
        this.#page = Math.min(2 * this.#page, pageSize)
        if (page.more || this.#newest > this.position) continue
        this.#live = true
        this.reader.current()
        // The row is read before the entries: it speaks for a reader that had everything already.
        if (this.#last === CLOSED || (this.#last === null && page.closed)) this.reader.closed()
        return
      }
    } finally {
      // In the same turn as the return: a commit that comes next must find either a live reader or one that may look again.
      this.#catchingUp = false
    }
  }

  #emit(frame: Frame): void {
    this.position = frame.seq
    this.#last = frame.type
    this.reader.emit(frame)
  }
}
