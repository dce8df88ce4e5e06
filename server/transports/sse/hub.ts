import type { Principal } from '@/core/engine/principal'
import type { IncomingMessage } from 'node:http'
import type { Entry } from '@/core/engine/event'
import type { OperationContext } from '@/server/operations/context'
import type { followedLists } from '@/server/operations/follow-many'
import { Endings } from '@/server/transports/endings'
import { frameOf, type Frame } from './frame'
import { Turns } from './turns'

/** What a page may follow besides executions. */
export type List = (typeof followedLists)[number]

/**
 * What changed in the lists since the last message: `more` says that not all changed executions are named. Work that began, ended
 * or waits is sent as `slots`, though their numbers may be the same.
 */
export type ListChange = {
  readonly executions?: readonly {
    readonly execution_id: string
    readonly pipeline_id: string
    readonly status: string
  }[]
  readonly more?: boolean
  readonly approvals?: { readonly pending: number }
  readonly slots?: { readonly total: number; readonly in_use: number; readonly queued: number }
  readonly health?: { readonly violations: number }
}

export type HubOptions = {
  readonly ctx: OperationContext
  /** Asked again while a stream is open: who is no longer let in loses it within `recheckMs` [SECURITY]. */
  readonly callerOf: (request: IncomingMessage) => Promise<Principal | null>
  readonly onDefect: (error: unknown) => void
  /** How often each stream says that it lives, and up to when it has sent everything. */
  readonly heartbeatMs?: number
  /** How often each stream looks by itself whether it missed something. */
  readonly pollMs?: number
  readonly recheckMs?: number
  /** How long changes of the lists are gathered into one message. */
  readonly gatherMs?: number
  /** How long changes of slots are: with much work there are many. */
  readonly gatherSlotsMs?: number
  readonly maxStreams?: number
}

/** The registry row as a commit carries it. */
type ExecutionRow = NonNullable<Commit['row']>
type Commit = Parameters<Parameters<OperationContext['feed']['onCommit']>[0]>[0]

type Watcher = {
  /** Gets the frames of every later commit of the execution, in order. */
  readonly onCommit: (frames: readonly Frame[]) => void
  /** The execution was removed: nothing comes any more. */
  readonly onRemoved: () => void
}

type Stream = { beat(): void; poll(): void; recheck(): Promise<void>; end(): void }

/** How often a part of the streams is visited. Milliseconds. */
const STEP_MS = 50

/** Most changed executions that one list message names. */
const namedChanges = 100

/** Events of nodes and of their attempts: with them slots and the queue change. */
const isWork = ({ event: { source } }: Entry) =>
  source.entity_type === 'node' || source.entity_type === 'task'

/** Events after which other gates wait, or other people can decide them: a vote counts, and whoever runs a run again may be excluded. */
const gateEvents = /\.(?:waiting|completed|failed|cancelled|skipped|reset|restarted|approved|rejected)$/

/**
 * Hands durable commits to the open streams. Listens to the orchestrator only while somebody listens here, and makes each entry
 * into bytes once, only for executions that somebody watches.
 */
export class Hub {
  readonly options: Required<HubOptions>
  /** Of streams that catch up. */
  readonly turns = new Turns()
  /** Who waits for the end of an execution. */
  readonly endings: Endings
  readonly #watched = new Map<string, Set<Watcher>>()
  readonly #lists = new Map<(change: ListChange) => void, ReadonlySet<List>>()
  readonly #streams = new Set<Stream>()
  readonly #timers: NodeJS.Timeout[] = []
  #forget: (() => void) | null = null
  #changed = new Map<string, ExecutionRow>()
  #gatesChanged = false
  #removed = false
  #gathering: NodeJS.Timeout | null = null
  #gatheringSlots: NodeJS.Timeout | null = null
  #ended = false

  constructor(options: HubOptions) {
    this.options = {
      heartbeatMs: 3_000,
      pollMs: 15_000,
      recheckMs: 4_000,
      gatherMs: 200,
      gatherSlotsMs: 1_000,
      maxStreams: 5_000,
      ...options,
    }
    this.endings = new Endings(this.options.ctx.feed)
    this.#visitEach(this.options.heartbeatMs, (stream) => stream.beat())
    this.#visitEach(this.options.pollMs, (stream) => stream.poll())
    this.#visitEach(this.options.recheckMs, (stream) => void stream.recheck().catch(this.options.onDefect))
  }

  /** How many streams are open. */
  get size(): number {
    return this.#streams.size
  }

  /** False when there are as many streams as the server carries, or it is stopping. */
  hasRoom(): boolean {
    return !this.#ended && this.#streams.size < this.options.maxStreams
  }

  /** Keeps a stream alive and checked until the returned function is called. */
  join(stream: Stream): () => void {
    this.#streams.add(stream)
    return () => this.#streams.delete(stream)
  }

  /** Calls `watcher` with what happens to the execution. */
  watch(executionId: string, watcher: Watcher): () => void {
    const watchers = this.#watched.get(executionId) ?? new Set()
    watchers.add(watcher)
    this.#watched.set(executionId, watchers)
    this.#listen()
    return () => {
      watchers.delete(watcher)
      if (watchers.size === 0 && this.#watched.get(executionId) === watchers)
        this.#watched.delete(executionId)
      this.#rest()
    }
  }

  /** `listener` hears, gathered, what changed in some lists. */
  watchLists(lists: ReadonlySet<List>, listener: (change: ListChange) => void): () => void {
    this.#lists.set(listener, lists)
    this.#listen()
    return () => {
      this.#lists.delete(listener)
      this.#rest()
    }
  }

  /** Ends every stream; none is let in afterwards. */
  end(): void {
    this.#ended = true
    this.endings.stop()
    for (const timer of this.#timers) clearInterval(timer)
    if (this.#gathering) clearTimeout(this.#gathering)
    if (this.#gatheringSlots) clearTimeout(this.#gatheringSlots)
    for (const stream of this.#streams) stream.end()
    this.#forget?.()
    this.#forget = null
  }

  /** How things stand. */
  slots(): ListChange {
    const { slots, inUse, queued } = this.options.ctx.runs.admission()
    return { slots: { total: slots, in_use: inUse, queued: queued.length } }
  }

  health(): ListChange {
    return { health: { violations: this.options.ctx.runs.violations().length } }
  }

  #listen(): void {
    if (this.#forget !== null) return
    const { feed } = this.options.ctx
    const forgetHealth = feed.onViolations(() => this.#notify('health', () => this.health()))
    const forgetCommits = feed.onCommit(({ executionId, entries, row }) => {
      const watchers = this.#watched.get(executionId)
      if (watchers) {
        const frames = entries.map(frameOf)
        for (const watcher of watchers) watcher.onCommit(frames)
      }
      if (this.#lists.size > 0) this.#noteChange(row, entries)
    })
    const forgetRemovals = feed.onRemoved((executionId) => {
      // Each removes itself when it ends.
      for (const watcher of [...(this.#watched.get(executionId) ?? [])]) watcher.onRemoved()
      if (this.#lists.size === 0) return
      this.#removed = true
      this.#gather()
    })
    this.#forget = () => {
      forgetHealth()
      forgetCommits()
      forgetRemovals()
    }
  }

  #rest(): void {
    if (this.#watched.size > 0 || this.#lists.size > 0) return
    this.#forget?.()
    this.#forget = null
  }

  #noteChange(row: ExecutionRow | null, entries: readonly Entry[]): void {
    if (this.#gatheringSlots === null && entries.some(isWork)) {
      this.#gatheringSlots = setTimeout(() => {
        this.#gatheringSlots = null
        this.#notify('slots', () => this.slots())
      }, this.options.gatherSlotsMs)
      this.#gatheringSlots.unref()
    }
    // A gate may open beside other work: then nothing of the row changed.
    const gatesChanged = entries.some(({ event }) => gateEvents.test(event.type))
    if (row) this.#changed.set(row.executionId, row)
    if (gatesChanged) this.#gatesChanged = true
    if (row || gatesChanged) this.#gather()
  }

  #gather(): void {
    if (this.#gathering) return
    this.#gathering = setTimeout(() => {
      this.#gathering = null
      this.#notifyLists().catch(this.options.onDefect)
    }, this.options.gatherMs)
    this.#gathering.unref()
  }

  async #notifyLists(): Promise<void> {
    const changed = [...this.#changed.values()]
    const gatesChanged = this.#gatesChanged
    const removed = this.#removed
    this.#changed = new Map()
    this.#gatesChanged = false
    this.#removed = false
    if (changed.length > 0 || removed)
      this.#notify('executions', () => ({
        executions: changed.slice(0, namedChanges).map((row) => ({
          execution_id: row.executionId,
          pipeline_id: row.pipelineId,
          status: row.status,
          handled_failures: row.handledFailures,
          mocked: row.mocked,
        })),
        // What is not there any more is not named: clients that show it read the list again.
        more: removed || changed.length > namedChanges,
      }))
    if (!gatesChanged) return
    const pending = await this.options.ctx.approvals.count()
    this.#notify('approvals', () => ({ approvals: { pending } }))
  }

  /** Makes the change once, and only when somebody wants to know it. */
  #notify(list: List, make: () => ListChange): void {
    let change: ListChange | null = null
    for (const [listener, lists] of this.#lists) if (lists.has(list)) listener((change ??= make()))
  }

  /** Visits every stream once an interval (milliseconds), a few at a time: all at once, thousands would stop everything else. */
  #visitEach(everyMs: number, visit: (stream: Stream) => void): void {
    const stepMs = Math.min(everyMs, STEP_MS)
    let turn = this.#streams.values()
    let due = 0
    const step = () => {
      due = Math.min(due + (this.#streams.size * stepMs) / everyMs, this.#streams.size)
      for (; due >= 1; due -= 1) {
        let next = turn.next()
        if (next.done === true) {
          turn = this.#streams.values()
          next = turn.next()
        }
        if (next.done !== true) visit(next.value)
      }
    }
    this.#timers.push(setInterval(step, stepMs).unref())
  }
}
