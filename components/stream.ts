import { isRecord } from '@/core/pipeline/json'
import { createFrameReader, type Frame } from './frame-reader'

/**
 * The one event stream of a tab: HTTP/1.1 allows six connections to an origin, so everything on the page that is live shares it.
 * It is read with `fetch`, so that heartbeats are seen (silence means a dead line, which an EventSource would not notice) and
 * a lost session is told apart from a lost line. Where something on the way lets no stream through, though requests are
 * answered, the page asks every few seconds instead, and goes on trying the stream.
 */

/**
 * live: heartbeats come · reconnecting: nothing is known to come · asking: no stream comes through, requests do ·
 * signed_out: nobody is let in any more
 */
export type Freshness = 'connecting' | 'live' | 'reconnecting' | 'asking' | 'signed_out'

export type List = 'executions' | 'approvals' | 'slots' | 'health'

export type Listener = {
  /** Execution whose entries are wanted, or a list whose changes are. */
  readonly topic:
    | {
        readonly execution: string
        /** The last seq that the listener has: the line begins after it. */ readonly after: () => number
      }
    | { readonly list: List }
  readonly onData: (data: unknown) => void
  /** Reads anew what the line did not tell. False when it could not be read. */
  readonly catchUp: () => Promise<boolean>
  /** The execution was removed: nothing more comes, and nothing is left to be read. */
  readonly onRemoved?: () => void
}

export type StreamOptions = {
  readonly url: string
  readonly fetch: typeof globalThis.fetch
  /** Whether requests are answered, and whether they still are to this person. Never rejects. */
  readonly ask: () => Promise<'answered' | 'unanswered' | 'signed_out'>
  /** Milliseconds since the epoch. A clock that goes on while the machine sleeps. */
  readonly now: () => number
  /** Calls `then` after so many milliseconds, or some time later; the answer calls it off. */
  readonly wait: (ms: number, then: () => void) => () => void
}

/** Heartbeats come every 3 s. Milliseconds. */
const beatsLate = 7_000
/** A line on which nothing came for this long is dead. */
const silence = 10_000
/** The first bytes come at once: a new line without any in this time carries nothing. */
const mute = 5_000
/** Between two rounds of asking. */
const askEvery = 3_000
/** How often the line is looked at. */
const lookEvery = 1_000
const longestWait = 10_000

/** One shared stream. Listeners come and go; it connects while there is one, and again when what they want changes. */
export function createTabStream(options: StreamOptions) {
  const { now } = options
  const listeners = new Set<Listener>()
  const watchers = new Set<() => void>()
  let freshness: Freshness = 'connecting'
  let controller: AbortController | null = null
  let wanted = ''
  /** Attempts in a row that came to nothing. */
  let failures = 0
  /** Lines in a row that stood and fell silent: none is believed before it went on for a while. */
  let silent = 0
  let cancelWait: (() => void) | null = null
  let cancelLook: (() => void) | null = null
  let cancelAsk: (() => void) | null = null
  /** When the line was begun, and when anything came on it first and last. */
  let line = { since: 0, first: 0, last: 0 }
  /** What has to be added to an instant of the server's clock to have it by ours lies between these. */
  let offset = { least: -Infinity, most: Infinity }
  /** Up to when everything is here, by our clock; 0: unknown. And when that was last confirmed. */
  let complete = { until: 0, at: 0 }

  function tell(next: Freshness) {
    if (freshness === next) return
    freshness = next
    for (const watcher of watchers) watcher()
  }

  /** What the page wants, and the query that asks for it: only the former decides whether to ask anew. */
  function query(): { wants: string; params: string } {
    const executions = new Map<string, number>()
    const lists = new Set<string>()
    for (const { topic } of listeners) {
      if ('execution' in topic)
        executions.set(topic.execution, Math.min(topic.after(), executions.get(topic.execution) ?? Infinity))
      else lists.add(topic.list)
    }
    const ids = [...executions.keys()].sort()
    const params = new URLSearchParams()
    if (ids.length > 0) params.set('executions', ids.map((id) => `${id}:${executions.get(id)}`).join(','))
    if (lists.size > 0) params.set('lists', [...lists].sort().join(','))
    return { wants: `${ids.join(',')} ${[...lists].sort().join(',')}`.trim(), params: params.toString() }
  }

  function deliver(frame: Frame) {
    let data: unknown
    try {
      data = JSON.parse(frame.data)
    } catch {
      return
    }
    if (!isRecord(data)) return
    const removed = frame.event === 'removed'
    const { execution_id: executionId } = removed ? data : isRecord(data['event']) ? data['event'] : {}
    for (const listener of [...listeners]) {
      if ('execution' in listener.topic) {
        if (executionId !== listener.topic.execution) continue
        if (removed) listener.onRemoved?.()
        else listener.onData(data)
      } else if (frame.event === 'lists' && data[listener.topic.list] !== undefined) listener.onData(data)
    }
  }

  /**
   * A heartbeat. `1764350000000` is the server's clock as it took the line; `1764350000000 a:14,b:3` says that all it had
   * committed until then was written before, which is up to those positions.
   */
  function onComment(text: string) {
    const [, instant, standing] = /^ ?(\d{1,15})(?: (\S*))?$/.exec(text) ?? []
    if (instant === undefined) return
    const [at, here] = [Number(instant), now()]
    const least = standing === undefined ? Math.max(offset.least, line.since - at) : offset.least
    const most = Math.min(offset.most, here - at)
    // One of the clocks was set.
    offset = least > most ? { least: line.since - at, most: here - at } : { least, most }
    if (standing === undefined) return
    const told = positionsOf(standing)
    let whole = true
    for (const { topic, catchUp } of listeners) {
      if (!('execution' in topic) || topic.after() >= (told.get(topic.execution) ?? 0)) continue
      whole = false
      void catchUp()
    }
    const shift = offset.least === -Infinity ? offset.most : (offset.least + offset.most) / 2
    if (whole) complete = { until: at + shift, at: here }
  }

  /** Something came on the line. */
  function heard() {
    line.last = now()
    if (line.first === 0) line.first = line.last
    // What stands between may let the beginning of an answer through and keep the rest.
    if (silent > 0 && line.last - line.first < lookEvery) return
    failures = 0
    silent = 0
    stopAsking()
    tell('live')
  }

  async function connect(params: string, mine: AbortController) {
    line = { since: now(), first: 0, last: 0 }
    const look = () => {
      const [since, bound] = line.first === 0 ? [line.since, mute] : [line.last, silence]
      if (now() - since <= bound) cancelLook = options.wait(lookEvery, look)
      else {
        silent += 1
        mine.abort()
      }
    }
    cancelLook = options.wait(lookEvery, look)
    try {
      const response = await options.fetch(`${options.url}?${params}`, {
        headers: { accept: 'text/event-stream' },
        signal: mine.signal,
        cache: 'no-store',
      })
      if (controller !== mine) return
      if (response.status === 401) return signedOut()
      if (!response.ok || response.body === null) throw new Error(`The stream answered ${response.status}.`)
      const read = createFrameReader(deliver, onComment)
      const decoder = new TextDecoder()
      const reader = response.body.getReader()
      for (;;) {
        const { done, value } = await reader.read()
        if (done || controller !== mine) break
        heard()
        read(decoder.decode(value, { stream: true }))
      }
    } catch {
      // Every way a line can break ends here; the answer is the same: connect again.
    }
    if (controller !== mine) return
    hangUp()
    failures += 1
    if (freshness !== 'asking') tell('reconnecting')
    if (cancelAsk === null && (failures > 1 || silent > 0)) ask()
    cancelWait = options.wait(Math.min(longestWait, 250 * 2 ** Math.min(failures, 6)), restart)
  }

  /** One round of asking, and the next later: until a line carries. */
  function ask() {
    let current = true
    let cancelNext = () => {}
    cancelAsk = () => {
      current = false
      cancelNext()
    }
    void (async () => {
      const began = now()
      const answer = await options.ask()
      if (current && answer === 'signed_out') return signedOut()
      const read =
        answer === 'answered' &&
        (await Promise.all([...listeners].map((listener) => listener.catchUp()))).every(Boolean)
      if (!current) return
      if (read) complete = { until: began, at: now() }
      tell(read ? 'asking' : 'reconnecting')
      cancelNext = options.wait(askEvery, ask)
    })()
  }

  function stopAsking() {
    cancelAsk?.()
    cancelAsk = null
  }

  function hangUp() {
    cancelWait?.()
    cancelWait = null
    cancelLook?.()
    cancelLook = null
    const old = controller
    controller = null
    old?.abort()
  }

  function signedOut() {
    hangUp()
    stopAsking()
    tell('signed_out')
  }

  function restart() {
    hangUp()
    const { wants, params } = query()
    wanted = wants
    if (wanted === '') return stopAsking()
    controller = new AbortController()
    void connect(params, controller)
  }

  let settling = false
  function reconsider() {
    // Components of one page mount and unmount together: look once, after all of them.
    if (settling) return
    settling = true
    queueMicrotask(() => {
      settling = false
      if (query().wants !== wanted) restart()
    })
  }

  return {
    /** Adds a listener; the answer removes it. */
    listen(listener: Listener): () => void {
      // A line that carries this topic for another listener already does not begin where this one is.
      const carried = controller !== null
      listeners.add(listener)
      if (carried && query().wants === wanted) void listener.catchUp()
      reconsider()
      return () => {
        listeners.delete(listener)
        reconsider()
      }
    },
    /** The network is known to be gone: the line is given up before its silence tells, and tried again as after any loss. */
    unreachable(): void {
      controller?.abort()
    },
    /**
     * The network is back, or somebody looks again at a page that may have slept: no more waiting for the next attempt, and no
     * trust in a line on which heartbeats are overdue.
     */
    look(): void {
      const overdue = now() - Math.max(line.since, line.last) > beatsLate
      if (cancelWait !== null || (controller !== null && overdue) || freshness === 'signed_out') restart()
    },
    freshness: () => freshness,
    /** How old what is shown may be, in milliseconds; null while nothing was heard. Grows when heartbeats are overdue. */
    behind(): number | null {
      if (complete.until === 0) return null
      const at = freshness === 'live' && now() - complete.at <= beatsLate ? complete.at : now()
      return Math.max(0, at - complete.until)
    },
    watch(watcher: () => void): () => void {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
  }
}

function positionsOf(standing: string): ReadonlyMap<string, number> {
  const positions = new Map<string, number>()
  for (const part of standing.split(',')) {
    const colon = part.lastIndexOf(':')
    if (colon > 0) positions.set(part.slice(0, colon), Number(part.slice(colon + 1)))
  }
  return positions
}
