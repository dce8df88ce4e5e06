import { heartbeatOf } from './heartbeat'
import { createPolling } from './polling'
import { createReconnectingStream, type Message, type StreamPorts } from './reconnecting-stream'
import { BEAT_OVERDUE_MS, createStaleness } from './staleness'
import { createSubscriptions, type Listener } from './subscriptions'

/**
 * live: heartbeats come · reconnecting: it is unknown whether anything comes · polling: no stream comes through, but requests
 * are answered · signed_out: the session has ended
 */
export type Freshness = 'connecting' | 'live' | 'reconnecting' | 'polling' | 'signed_out'

export type TabStreamOptions = StreamPorts & {
  readonly url: string
  /** Whether requests are answered, and whether the session is still valid. Never rejects. */
  readonly probe: () => Promise<'answered' | 'unanswered' | 'signed_out'>
}

/**
 * The one event stream of a tab: HTTP/1.1 allows six connections to an origin, so everything on the page that is live shares it.
 * Listeners come and go; it connects while there is one, and again when what they want changes. Where a proxy lets no stream
 * through, though requests are answered, the page polls instead and goes on trying the stream.
 */
export function createTabStream(options: TabStreamOptions) {
  const { now } = options
  const subscriptions = createSubscriptions()
  const staleness = createStaleness()
  const freshness = createObservable<Freshness>('connecting')
  /** What the open connection carries. */
  let topics = ''

  function receive(message: Message, since: number): void {
    if (message.kind === 'event') return subscriptions.deliver(message.event, message.data)
    const beat = heartbeatOf(message.text)
    if (beat === null) return
    const here = now()
    staleness.measure(beat, since, here)
    if (beat.positions !== null && subscriptions.reconcile(beat.positions))
      staleness.confirmServer(beat.at, here)
  }

  function signedOut(): void {
    stream.close()
    polling.stop()
    freshness.set('signed_out')
  }

  const polling = createPolling(options.wait, async (isCurrent) => {
    const began = now()
    const answer = await options.probe()
    if (!isCurrent()) return
    if (answer === 'signed_out') return signedOut()
    const isComplete = answer === 'answered' && (await subscriptions.catchUp())
    if (!isCurrent()) return
    if (isComplete) staleness.confirm(began, now())
    freshness.set(isComplete ? 'polling' : 'reconnecting')
  })

  const stream = createReconnectingStream({
    ...options,
    url: () => `${options.url}?${subscriptions.request().query}`,
    isFinal: (status) => status === 401,
    onRefused: signedOut,
    onLive: () => {
      polling.stop()
      freshness.set('live')
    },
    onMessages: (messages, since) => {
      for (const message of messages) receive(message, since)
    },
    onLost: ({ failures, silent }) => {
      if (freshness.get() !== 'polling') freshness.set('reconnecting')
      if (failures > 1 || silent > 0) polling.start()
    },
  })

  function restart(): void {
    topics = subscriptions.request().topics
    if (topics !== '') return stream.open()
    stream.close()
    polling.stop()
  }

  // Components of one page mount and unmount together: decide once, after all of them.
  const reconsider = oncePerTurn(() => {
    if (subscriptions.request().topics !== topics) restart()
  })

  return {
    /** Adds a listener; the answer removes it. */
    listen(listener: Listener): () => void {
      const carries = stream.isOpen()
      subscriptions.add(listener)
      // A connection that carries this topic already, for another listener, does not begin where this one is.
      if (carries && subscriptions.request().topics === topics) void listener.catchUp()
      reconsider()
      return () => {
        subscriptions.remove(listener)
        reconsider()
      }
    },
    /** The network is known to be gone: the connection is dropped before its silence shows it, and opened again as after any loss. */
    unreachable: stream.drop,
    /**
     * The network is back, or somebody returns to a page that may have slept: the next attempt is made now, and a connection on
     * which heartbeats are overdue is replaced.
     */
    look(): void {
      if (freshness.get() === 'signed_out' || stream.isOverdue(BEAT_OVERDUE_MS)) restart()
    },
    freshness: freshness.get,
    /** How old what is shown may be, in milliseconds; null while that is unknown. Grows when heartbeats are overdue. */
    behind: (): number | null => staleness.age(now(), freshness.get() === 'live'),
    watch: freshness.watch,
  }
}

function createObservable<T>(initial: T) {
  const watchers = new Set<() => void>()
  let value = initial
  return {
    get: (): T => value,
    set(next: T): void {
      if (value === next) return
      value = next
      for (const watcher of watchers) watcher()
    },
    watch(watcher: () => void): () => void {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
  }
}

/** However often it is called in one turn, `action` runs once, after it. */
function oncePerTurn(action: () => void): () => void {
  let scheduled = false
  return () => {
    if (scheduled) return
    scheduled = true
    queueMicrotask(() => {
      scheduled = false
      action()
    })
  }
}
