import { createParser } from 'eventsource-parser'

/** One thing that a server sent: an event, or a comment (our servers send heartbeats as comments). */
export type Message =
  | { readonly kind: 'event'; readonly event: string; readonly data: string }
  | { readonly kind: 'comment'; readonly text: string }

/** Why the waits between attempts are as long as they are. */
export type Loss = {
  /** Attempts in a row that failed; at least 1. */
  readonly failures: number
  /** Connections in a row that were open and then went silent. */
  readonly silent: number
}

/** Time and network, passed in. */
export type StreamPorts = {
  readonly fetch: typeof globalThis.fetch
  /** Milliseconds since the epoch. A clock that goes on while the machine sleeps. */
  readonly now: () => number
  /** Calls `then` after `ms` milliseconds or later. The answer cancels the call. */
  readonly wait: (ms: number, then: () => void) => () => void
}

export type ReconnectingStreamOptions = StreamPorts & {
  /** Address of the next connection. It is asked for each connection, so that each resumes after what has arrived. */
  readonly url: () => string
  /** Whether a status is a refusal that stays the same however often one asks. */
  readonly isFinal: (status: number) => boolean
  readonly onRefused?: () => void
  /** Data arrives on a connection that can be trusted. Called before `onMessages`. */
  readonly onLive?: () => void
  /** The messages of one chunk, in order. `since`: when their connection was requested. */
  readonly onMessages: (messages: readonly Message[], since: number) => void
  /** The connection was lost. The next attempt is already scheduled. */
  readonly onLost?: (loss: Loss) => void
}

/** Servers send heartbeats every 3 s: a connection without any data for this long is dead. Milliseconds. */
const SILENT_MS = 10_000
/** Servers send the first bytes at once: a new connection without any for this long lets nothing through. */
const MUTE_MS = 5_000
/** How often the connection is checked for silence. */
const CHECK_MS = 1_000
const LONGEST_WAIT_MS = 10_000
/** No server of ours sends a message of more characters. */
const LONGEST_MESSAGE = 8_000_000

type Connection = {
  readonly controller: AbortController
  readonly since: number
  /** When data arrived first and last; 0: never. */
  first: number
  last: number
  cancelCheck: () => void
}

/**
 * An event stream that connects again whenever its connection breaks, ends or goes silent. It is read with `fetch` and not with
 * an EventSource, which neither shows heartbeats nor distinguishes a refusal from a lost connection. Waits between attempts: 0.5 s, then
 * twice as long each time up to 10 s; they start short again once data arrives.
 */
export function createReconnectingStream(options: ReconnectingStreamOptions) {
  const { now, wait } = options
  let current: Connection | null = null
  let cancelWait: (() => void) | null = null
  let failures = 0
  let silent = 0

  function close(): void {
    cancelWait?.()
    cancelWait = null
    const old = current
    current = null
    old?.cancelCheck()
    old?.controller.abort()
  }

  function open(): void {
    close()
    current = {
      controller: new AbortController(),
      since: now(),
      first: 0,
      last: 0,
      cancelCheck: () => {},
    }
    checkSilence(current)
    void run(current)
  }

  function checkSilence(connection: Connection): void {
    const { first, last, since, controller } = connection
    const [from, bound] = first === 0 ? [since, MUTE_MS] : [last, SILENT_MS]
    if (now() - from <= bound) {
      connection.cancelCheck = wait(CHECK_MS, () => checkSilence(connection))
      return
    }
    silent += 1
    controller.abort()
  }

  function received(connection: Connection): void {
    connection.last = now()
    if (connection.first === 0) connection.first = connection.last
    // A proxy may let the beginning of an answer through and hold back the rest.
    if (silent > 0 && connection.last - connection.first < CHECK_MS) return
    failures = 0
    silent = 0
    options.onLive?.()
  }

  async function run(mine: Connection): Promise<void> {
    try {
      const response = await options.fetch(options.url(), {
        headers: { accept: 'text/event-stream' },
        signal: mine.controller.signal,
        cache: 'no-store',
      })
      if (current !== mine) return
      if (options.isFinal(response.status)) {
        close()
        options.onRefused?.()
        return
      }
      if (!response.ok || response.body === null) throw new Error(`The stream answered ${response.status}.`)
      const reader = response.body.getReader()
      const parse = createMessageParser()
      for (;;) {
        const { done, value } = await reader.read()
        if (done || current !== mine) break
        received(mine)
        options.onMessages(parse(value), mine.since)
      }
    } catch {
      // A connection can break in many ways. The answer is the same for all: connect again.
    }
    if (current !== mine) return
    close()
    failures += 1
    cancelWait = wait(Math.min(LONGEST_WAIT_MS, 250 * 2 ** Math.min(failures, 6)), open)
    options.onLost?.({ failures, silent })
  }

  return {
    /** Connects, at once; an open connection is replaced. */
    open,
    /** Ends the connection and all attempts until `open`. */
    close,
    /** Drops the connection, as if it had broken: it is opened again after the usual wait. */
    drop: (): void => current?.controller.abort(),
    isOpen: (): boolean => current !== null,
    /** Whether it waits for its next attempt, or has an open connection without any data for more than `ms`. */
    isOverdue: (ms: number): boolean =>
      cancelWait !== null || (current !== null && now() - Math.max(current.since, current.last) > ms),
  }
}

/** Parses the bytes of one connection, wherever they are cut. Throws when a message is longer than it may be. */
function createMessageParser(): (chunk: Uint8Array) => readonly Message[] {
  let messages: Message[] = []
  const decoder = new TextDecoder()
  const parser = createParser({
    maxBufferSize: LONGEST_MESSAGE,
    onEvent: ({ event = 'message', data }) => messages.push({ kind: 'event', event, data }),
    onComment: (text) => messages.push({ kind: 'comment', text }),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') throw error
    },
  })
  return (chunk) => {
    messages = []
    parser.feed(decoder.decode(chunk, { stream: true }))
    return messages
  }
}
