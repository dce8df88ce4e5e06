import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Draft, DraftStore, Saved } from './draft'
import { mergeTexts, type Sides } from './merge'

/**
 * Autosave of a draft. A while after each change the draft is sent to the server, on top of the version that was last seen; until it is
 * there, a copy lies in the browser. What another tab or person saved meanwhile is merged, and where both changed the same, the person
 * is asked. Clock, server and browser storage are passed in.
 */

/** The draft that the server has, as far as this tab knows, and the revision that it is based on. Version 0: it has none. */
export type Known = { readonly version: number; readonly text: string; readonly base: number }

/** What the server has now: the current revision, and the draft. */
export type ServerDraft = {
  readonly current: (Saved & { readonly by: string; readonly note: string | null }) | null
  readonly draft: { readonly version: number; readonly text: string; readonly base: Saved } | null
}

/** unreachable: no answer · stale: somebody else has saved since */
export type SaveResult =
  | { readonly kind: 'saved'; readonly version: number }
  | { readonly kind: 'stale' }
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'refused'; readonly message: string }

export type DraftServer = {
  put(draft: { readonly text: string; readonly base: number; readonly version: number }): Promise<SaveResult>
  /** Discards that version of the draft; `saved` has version 0 then. */
  remove(version: number): Promise<SaveResult>
  /** Null: the server cannot be reached. */
  read(): Promise<ServerDraft | null>
}

/** A text that may not be on the server yet, with the draft that it was changed from. */
export type LocalCopy = { readonly text: string; readonly known: Known }

/** A copy in this browser. `save` returns false where there is no storage left. */
export type LocalDraft = { save(copy: LocalCopy): boolean; clear(): void }

/** `stored`: a copy lies in this browser. */
export type SaveState =
  | { readonly kind: 'same' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'saving' }
  | { readonly kind: 'saved' }
  | { readonly kind: 'offline'; readonly stored: boolean }
  | { readonly kind: 'refused'; readonly message: string; readonly stored: boolean }

/** Both sides changed the same lines; nothing is saved until the person has decided. */
export type Conflict = {
  readonly sides: Sides
  /** The revision that is the other side; null: it is the draft of another tab of the same person. */
  readonly other: { readonly revision: number; readonly by: string; readonly note: string | null } | null
  readonly afterwards: { readonly known: Known; readonly base: Saved }
}

export type Autosave = { readonly state: SaveState; readonly conflict: Conflict | null }

export type AutosaveStore = StoreApi<Autosave> & {
  /** Stores a copy in the browser and sends it now. */
  flush(): Promise<void>
  /** Whether closing the tab now would lose something. */
  wouldLose(): boolean
  /** Sends again at once: the server may be reachable again. */
  retry(): void
  /**
   * Runs `publish` while nothing is saved; afterwards the server has no draft. Null, and nothing was published, when another tab had
   * changed the draft: that change is merged first.
   */
  publishing<T>(publish: () => Promise<T | null>): Promise<T | null>
  /** Merges the current revision into the draft and bases the draft on it, or on none where none exists. False: the server cannot be reached. */
  takeRevision(): Promise<boolean>
  /** Merges a copy that an earlier visit left in this browser. */
  restoreLocal(copy: LocalCopy): void
  solve(text: string): void
  /** Watches the draft until the returned function is called; what is not on the server then is stored in the browser and sent once more. */
  start(): () => void
}

/** From a change to its save, to its copy in the browser, and between two tries while the server cannot be reached. Milliseconds. */
const SAVE_MS = 800
const COPY_MS = 200
const RETRY_MS = 4_000

type AutosaveOptions = {
  readonly draft: DraftStore
  readonly server: DraftServer
  readonly local: LocalDraft
  readonly known: Known
  /** Calls `then` after `ms` milliseconds, unless the returned function is called before. */
  readonly wait: (ms: number, then: () => void) => () => void
}

/** What merging and saving share: the draft that the server is known to have, and the conflict. */
type Sync = AutosaveOptions & {
  readonly store: StoreApi<Autosave>
  known: Known
  /** A publication is running: nothing is saved. */
  publishing: boolean
  /** Sends the draft after so many milliseconds, instead of at the time that was set before. */
  sendAfter(ms: number): void
  cancelSend(): void
  /** Stores a copy in the browser now; false where that is not possible and the server has not got the text either. */
  storeCopy(): boolean
}

const isPublished = ({ text, saved }: Pick<Draft, 'text' | 'saved'>) =>
  saved.revision > 0 && text === saved.text

/** Whether a person who opens the pipeline again would find exactly this draft. */
function isSaved({ draft, known }: Pick<Sync, 'draft' | 'known'>): boolean {
  const { text, saved } = draft.getState()
  if (known.version === 0) return text === saved.text
  return text === known.text && saved.revision === known.base && !isPublished({ text, saved })
}

/** Merges what others saved with the text of this tab. */
function createMerging(sync: Sync) {
  const { draft, store, sendAfter } = sync

  function merge(label: string, conflict: Conflict): void {
    const merged = mergeTexts(conflict.sides)
    if (merged.conflicts > 0) store.setState({ conflict })
    else adopt(label, merged.text, conflict.afterwards)
  }

  function adopt(label: string, text: string, next: Conflict['afterwards']): void {
    sync.known = next.known
    draft.rebase(next.base)
    draft.replace(label, text)
    sendAfter(0)
  }

  /** The pipeline was deleted: the text is the draft of a pipeline that is not published. */
  function detach(): void {
    draft.rebase({ revision: 0, text: '' })
    sendAfter(0)
  }

  function takeCurrent(current: ServerDraft['current']): void {
    if (current === null) return detach()
    const { text: mine, saved } = draft.getState()
    const { revision, text: theirs, by, note } = current
    if (revision === saved.revision) return
    merge(`Merge revision ${revision}`, {
      sides: { base: saved.text, mine, theirs },
      other: { revision, by, note },
      afterwards: { known: sync.known, base: { revision, text: theirs } },
    })
  }

  /** Another tab has saved, published or discarded the draft. */
  function takeServerDraft({ current, draft: other }: ServerDraft): void {
    const { text: mine, saved } = draft.getState()
    if (other !== null) {
      const { version, text: theirs, base } = other
      return merge('Merge the changes of another tab', {
        sides: { base: sync.known.text, mine, theirs },
        other: null,
        afterwards: { known: { version, text: theirs, base: base.revision }, base },
      })
    }
    sync.known = { version: 0, text: saved.text, base: saved.revision }
    if (current !== null && current.revision === saved.revision) sendAfter(0)
    else takeCurrent(current)
  }

  return {
    takeCurrent,
    takeServerDraft,
    restoreLocal({ text: mine, known: from }: LocalCopy) {
      const { text: theirs, saved } = draft.getState()
      merge('Restore the copy of this browser', {
        sides: { base: from.version === sync.known.version ? theirs : from.text, mine, theirs },
        other: null,
        afterwards: { known: sync.known, base: saved },
      })
    },
    solve(text: string) {
      const { conflict } = store.getState()
      if (conflict === null) return
      store.setState({ conflict: null })
      adopt('Merge', text, conflict.afterwards)
    },
  }
}

/** Sends the draft, one save after the other. */
function createSender(sync: Sync, takeServerDraft: (found: ServerDraft) => void) {
  const { draft, server, store, sendAfter, storeCopy } = sync
  const report = (state: SaveState) => store.setState({ state })
  let running: Promise<void> | null = null

  function unreachable(stored: boolean): void {
    report({ kind: 'offline', stored })
    sendAfter(RETRY_MS)
  }

  /** Nothing is left to send, or what was typed meanwhile is sent next. */
  function afterSave(): void {
    if (!isSaved(sync)) return sendAfter(SAVE_MS)
    storeCopy()
    sync.local.clear()
    report({ kind: sync.known.version === 0 ? 'same' : 'saved' })
  }

  function meet(found: ServerDraft | null): void {
    if (found === null) unreachable(storeCopy())
    else takeServerDraft(found)
  }

  async function sendOnce(): Promise<void> {
    if (isSaved(sync)) return afterSave()
    const { text, saved } = draft.getState()
    const stored = storeCopy()
    report({ kind: 'saving' })
    const { version } = sync.known
    const result = isPublished({ text, saved })
      ? await server.remove(version)
      : await server.put({ text, base: saved.revision, version })
    switch (result.kind) {
      case 'saved':
        sync.known = { version: result.version, text, base: saved.revision }
        return afterSave()
      case 'stale':
        return meet(await server.read())
      case 'unreachable':
        return unreachable(stored)
      case 'refused':
        return report({ kind: 'refused', message: result.message, stored })
    }
  }

  function send(): Promise<void> {
    sync.cancelSend()
    if (sync.publishing || store.getState().conflict !== null) return Promise.resolve()
    running ??= sendOnce().finally(() => {
      running = null
    })
    return running
  }

  return {
    send,
    /** Sends now, after the save that is running. */
    async sendAll(): Promise<void> {
      await running
      await send()
    },
    meet,
    afterSave,
    report,
  }
}

/** Runs a publication while nothing is saved. */
async function publishWith<T>(
  sync: Sync,
  { sendAll, meet, afterSave }: ReturnType<typeof createSender>,
  publish: () => Promise<T | null>,
): Promise<T | null> {
  await sendAll()
  if (sync.store.getState().conflict !== null) return null
  const found = await sync.server.read()
  if (found !== null && (found.draft?.version ?? 0) !== sync.known.version) {
    meet(found)
    return null
  }
  sync.publishing = true
  try {
    const done = await publish()
    const { saved } = sync.draft.getState()
    if (done !== null) sync.known = { version: 0, text: saved.text, base: saved.revision }
    return done
  } finally {
    sync.publishing = false
    afterSave()
  }
}

export function createAutosave(options: AutosaveOptions): AutosaveStore {
  const { draft, local, server, wait } = options
  const store = createStore<Autosave>(() => ({ state: { kind: 'same' }, conflict: null }))
  let cancelSend = () => {}
  let cancelCopy: (() => void) | null = null

  function storeCopy(): boolean {
    cancelCopy?.()
    cancelCopy = null
    return isSaved(sync) || local.save({ text: draft.getState().text, known: sync.known })
  }
  function sendAfter(ms: number): void {
    cancelSend()
    cancelSend = wait(ms, () => void sender.send())
  }

  const sync: Sync = {
    ...options,
    store,
    publishing: false,
    sendAfter,
    cancelSend: () => cancelSend(),
    storeCopy,
  }
  const merging = createMerging(sync)
  const sender = createSender(sync, merging.takeServerDraft)

  return Object.assign(store, {
    async flush() {
      storeCopy()
      await sender.sendAll()
    },
    wouldLose: () => !storeCopy(),
    retry() {
      if (!isSaved(sync)) sendAfter(0)
    },
    publishing: <T>(publish: () => Promise<T | null>) => publishWith(sync, sender, publish),
    async takeRevision() {
      await sender.sendAll()
      const found = await server.read()
      if (found !== null) merging.takeCurrent(found.current)
      return found !== null
    },
    restoreLocal: merging.restoreLocal,
    solve: merging.solve,
    start() {
      const unsubscribe = draft.subscribe((now, before) => {
        if (now.text === before.text) return
        cancelCopy ??= wait(COPY_MS, storeCopy)
        const { kind } = store.getState().state
        if (kind !== 'offline' && kind !== 'saving') sender.report({ kind: 'waiting' })
        sendAfter(kind === 'offline' ? RETRY_MS : SAVE_MS)
      })
      sender.afterSave()
      return () => {
        unsubscribe()
        cancelSend()
        storeCopy()
        void sender.send()
      }
    },
  })
}
