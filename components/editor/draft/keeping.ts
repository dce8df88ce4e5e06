import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Draft, DraftStore, Saved } from './draft'
import { mergeTexts, type Sides } from './merge'

/**
 * How a draft is kept: a while after each change it goes to the server, on top of the version that was last seen, and until it
 * is there it lies in the browser. Clock, line and shelf are passed in. Whatever another tab or person saved meanwhile is
 * brought together with it, and where both changed the same, people are asked.
 */

/** The draft that the server has, as far as this tab knows, and the revision it is based on. Version 0: it has none. */
export type Known = { readonly version: number; readonly text: string; readonly base: number }

/** What the server shows now: the current revision, and the draft. */
export type Found = {
  readonly current: (Saved & { readonly by: string; readonly note: string | null }) | null
  readonly draft: { readonly version: number; readonly text: string; readonly base: Saved } | null
}

/** No answer: the server could not be reached. `stale`: somebody else has saved. */
export type Sent =
  | { readonly kind: 'saved'; readonly version: number }
  | { readonly kind: 'stale' }
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'refused'; readonly message: string }

export type Line = {
  put(draft: { readonly text: string; readonly base: number; readonly version: number }): Promise<Sent>
  /** Discards that version of the draft; `saved` then tells version 0. */
  remove(version: number): Promise<Sent>
  find(): Promise<Found | null>
}

/** A text that may not be on the server yet, with what it was changed from. */
export type Kept = { readonly text: string; readonly known: Known }

/** A place of this browser. `put` is false when it has no room. */
export type Shelf = { put(kept: Kept): boolean; clear(): void }

export type Keeping =
  | { readonly kind: 'same' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'saving' }
  | { readonly kind: 'saved' }
  | { readonly kind: 'offline'; readonly kept: boolean }
  | { readonly kind: 'refused'; readonly message: string; readonly kept: boolean }

/** Both changed the same places; nothing is saved until somebody has decided. */
export type Conflict = {
  readonly sides: Sides
  /** Whose text the other one is: of a revision, or of this person in another tab. */
  readonly other: { readonly revision: number; readonly by: string; readonly note: string | null } | null
  readonly whenSolved: { readonly known: Known; readonly base: Saved }
}

export type KeepingState = { readonly state: Keeping; readonly conflict: Conflict | null }

export type KeepingStore = StoreApi<KeepingState> & {
  /** What is not on the server is laid on the shelf, and sent now. */
  flush(): Promise<void>
  /** Whether closing the tab now would lose something. */
  wouldLose(): boolean
  /** The line may be back. */
  retry(): void
  /**
   * Publishes: nothing is saved meanwhile; afterwards the server has no draft. Null, and nothing was published, when another tab
   * had changed the draft: that is brought in first.
   */
  publishing<T>(publish: () => Promise<T | null>): Promise<T | null>
  /** Brings in the current revision, on which the draft then stands; on none where there is none any more. False: the server could not be reached. */
  takeRevision(): Promise<boolean>
  /** Brings in what this browser had kept of an earlier visit. */
  bringBack(kept: Kept): void
  solve(text: string): void
  /** Watches the draft until it is stopped; what is then not on the server stays on the shelf and is sent once more. */
  start(): () => void
}

const PAUSE_MS = 800
const SHELF_MS = 200
const RETRY_MS = 4_000

export function createKeeping(options: {
  readonly draft: DraftStore
  readonly line: Line
  readonly shelf: Shelf
  readonly known: Known
  /** Calls back after so many milliseconds, unless it is called off. */
  readonly wait: (ms: number, then: () => void) => () => void
}): KeepingStore {
  const { draft, line, shelf, wait } = options
  let known = options.known
  let busy: Promise<void> | null = null
  let held = false
  let sending = () => {}
  let shelving: (() => void) | null = null
  const store = createStore<KeepingState>(() => ({ state: { kind: 'same' }, conflict: null }))
  const tell = (state: Keeping) => store.setState({ state })

  const isPublished = ({ text, saved }: Pick<Draft, 'text' | 'saved'>) =>
    saved.revision > 0 && text === saved.text

  /** Whoever opened the pipeline anew would find this very draft. */
  function isKept(): boolean {
    const { text, saved } = draft.getState()
    if (known.version === 0) return text === saved.text
    return text === known.text && saved.revision === known.base && !isPublished({ text, saved })
  }

  /** True when what is not on the server lies in this browser. */
  function shelve(): boolean {
    shelving?.()
    shelving = null
    return isKept() || shelf.put({ text: draft.getState().text, known })
  }

  function sendAfter(ms: number): void {
    sending()
    sending = wait(ms, () => void send())
  }

  /** One save after the other; what was typed meanwhile is the next. */
  function send(): Promise<void> {
    sending()
    if (held || store.getState().conflict !== null) return Promise.resolve()
    busy ??= sendOnce().finally(() => {
      busy = null
    })
    return busy
  }

  async function sendOnce(): Promise<void> {
    if (isKept()) return settle()
    const { text, saved } = draft.getState()
    const kept = shelve()
    tell({ kind: 'saving' })
    const sent = isPublished({ text, saved })
      ? await line.remove(known.version)
      : await line.put({ text, base: saved.revision, version: known.version })
    switch (sent.kind) {
      case 'saved':
        known = { version: sent.version, text, base: saved.revision }
        return settle()
      case 'stale':
        return meet(await line.find())
      case 'unreachable':
        return unreachable(kept)
      case 'refused':
        return tell({ kind: 'refused', message: sent.message, kept })
    }
  }

  function unreachable(kept: boolean): void {
    tell({ kind: 'offline', kept })
    sendAfter(RETRY_MS)
  }

  function settle(): void {
    if (!isKept()) return sendAfter(PAUSE_MS)
    shelving?.()
    shelving = null
    shelf.clear()
    tell({ kind: known.version === 0 ? 'same' : 'saved' })
  }

  /** Another tab has saved, published or discarded: what it left is brought together with what stands here. */
  function meet(found: Found | null): void {
    if (found === null) return unreachable(shelve())
    const { text: mine, saved } = draft.getState()
    if (found.draft !== null) {
      const { version, text: theirs, base } = found.draft
      const whenSolved = { known: { version, text: theirs, base: base.revision }, base }
      bringIn('Take in what another tab did', {
        sides: { base: known.text, mine, theirs },
        other: null,
        whenSolved,
      })
    } else {
      known = { version: 0, text: saved.text, base: saved.revision }
      if (found.current === null) letGo()
      else if (found.current.revision !== saved.revision) take(found.current)
      else sendAfter(0)
    }
  }

  /** The pipeline was deleted: what stands here is a draft of one that is not there yet. */
  function letGo(): void {
    draft.rebase({ revision: 0, text: '' })
    sendAfter(0)
  }

  function take({ revision, text: theirs, by, note }: NonNullable<Found['current']>): void {
    const { text: mine, saved } = draft.getState()
    bringIn(`Take in revision ${revision}`, {
      sides: { base: saved.text, mine, theirs },
      other: { revision, by, note },
      whenSolved: { known, base: { revision, text: theirs } },
    })
  }

  function bringIn(label: string, conflict: Conflict): void {
    const merged = mergeTexts(conflict.sides)
    if (merged.conflicts > 0) store.setState({ conflict })
    else adopt(label, merged.text, conflict.whenSolved)
  }

  function adopt(label: string, text: string, next: Conflict['whenSolved']): void {
    known = next.known
    draft.rebase(next.base)
    draft.replace(label, text)
    sendAfter(0)
  }

  return Object.assign(store, {
    async flush() {
      shelve()
      await busy
      await send()
    },
    wouldLose: () => !shelve(),
    retry() {
      if (!isKept()) sendAfter(0)
    },
    async publishing<T>(publish: () => Promise<T | null>) {
      await busy
      await send()
      if (store.getState().conflict !== null) return null
      const found = await line.find()
      if (found !== null && (found.draft?.version ?? 0) !== known.version) {
        meet(found)
        return null
      }
      held = true
      try {
        const done = await publish()
        const { saved } = draft.getState()
        if (done !== null) known = { version: 0, text: saved.text, base: saved.revision }
        return done
      } finally {
        held = false
        settle()
      }
    },
    async takeRevision() {
      await busy
      await send()
      const found = await line.find()
      if (found === null) return false
      const { revision } = draft.getState().saved
      if (found.current === null) letGo()
      else if (found.current.revision !== revision) take(found.current)
      return true
    },
    bringBack({ text: mine, known: from }: Kept) {
      const { text: theirs, saved } = draft.getState()
      bringIn('Bring back what this browser kept', {
        sides: { base: from.version === known.version ? theirs : from.text, mine, theirs },
        other: null,
        whenSolved: { known, base: saved },
      })
    },
    solve(text: string) {
      const { conflict } = store.getState()
      if (conflict === null) return
      store.setState({ conflict: null })
      adopt('Merge', text, conflict.whenSolved)
    },
    start() {
      const unsubscribe = draft.subscribe((now, before) => {
        if (now.text === before.text) return
        shelving ??= wait(SHELF_MS, shelve)
        const { kind } = store.getState().state
        if (kind !== 'offline' && kind !== 'saving') tell({ kind: 'waiting' })
        sendAfter(kind === 'offline' ? RETRY_MS : PAUSE_MS)
      })
      settle()
      return () => {
        unsubscribe()
        sending()
        shelve()
        void send()
      }
    },
  })
}
