/**
 * The one event stream of a tab: HTTP/1.1 allows six connections to an origin, so everything on the page that is live shares it.
 * It is read with `fetch`, so that heartbeats are seen (silence means a dead line, which an EventSource would not notice) and
 * a lost session is told apart from a lost line.
 */

export type Frame = { readonly event: string; readonly data: string; readonly id: string | null }

export type Freshness = 'connecting' | 'live' | 'reconnecting' | 'signed_out'

/**
 * Reads `text/event-stream` text piece by piece, wherever it is cut. Comments (heartbeats) are swallowed.
 * Bounded: a frame of more than 8 MB is an error, because no server of ours sends one.
 */
export function createFrameReader(onFrame: (frame: Frame) => void): (piece: string) => void {
  let rest = ''
  let event = ''
  let data: string[] = []
  let id: string | null = null
  let sawCarriageReturn = false
  return (piece) => {
    // A CRLF that was cut in two ends one line, not two.
    rest += sawCarriageReturn && piece.startsWith('\n') ? piece.slice(1) : piece
    sawCarriageReturn = piece.endsWith('\r')
    if (rest.length > 8_000_000) throw new Error('The event stream sent a frame that is too large.')
    const lines = rest.split(/\r\n|\n|\r/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) onFrame({ event: event === '' ? 'message' : event, data: data.join('\n'), id })
        event = ''
        data = []
        continue
      }
      const colon = line.indexOf(':')
      if (colon === 0) continue
      const field = colon === -1 ? line : line.slice(0, colon)
      const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
      if (field === 'event') event = value
      else if (field === 'data') data.push(value)
      else if (field === 'id' && !value.includes('\0')) id = value
    }
  }
}

export type Listener = {
  /** Execution whose entries are wanted, or a list whose changes are. */
  readonly topic:
    | {
        readonly execution: string
        /** The last seq that the listener has: the line begins after it. */ readonly after: () => number
      }
    | { readonly list: 'executions' | 'approvals' }
  readonly onData: (data: unknown) => void
  /** A line stands (again): whatever happened in between has to be read anew by the listener. */
  readonly onConnected?: () => void
}

export type StreamOptions = {
  readonly url: string
  readonly fetch: typeof globalThis.fetch
  /** Waits before a new attempt: 0.5 s, then twice as long each time up to 10 s. */
  readonly wait: (ms: number, then: () => void) => () => void
  /** A line on which nothing came for this long is dead. Milliseconds; heartbeats come every 15 s. */
  readonly silenceMs: number
}

/** One shared stream. Listeners come and go; it connects while there is one, and again when what they want changes. */
export function createTabStream(options: StreamOptions) {
  const listeners = new Set<Listener>()
  const watchers = new Set<() => void>()
  let freshness: Freshness = 'connecting'
  let controller: AbortController | null = null
  let wanted = ''
  let failures = 0
  let cancelWait: (() => void) | null = null
  let cancelSilence: (() => void) | null = null

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
    const executionId = (data as { event?: { execution_id?: unknown } } | null)?.event?.execution_id
    for (const listener of [...listeners]) {
      if ('execution' in listener.topic) {
        if (executionId === listener.topic.execution) listener.onData(data)
      } else if (frame.event === 'lists') listener.onData(data)
    }
  }

  async function connect(params: string, mine: AbortController) {
    const armed = () => {
      cancelSilence?.()
      cancelSilence = options.wait(options.silenceMs, () => mine.abort())
    }
    try {
      armed()
      const response = await options.fetch(`${options.url}?${params}`, {
        headers: { accept: 'text/event-stream' },
        signal: mine.signal,
        cache: 'no-store',
      })
      if (controller !== mine) return
      if (response.status === 401) {
        cancelSilence?.()
        tell('signed_out')
        return
      }
      if (!response.ok || response.body === null) throw new Error(`The stream answered ${response.status}.`)
      failures = 0
      tell('live')
      for (const listener of [...listeners]) listener.onConnected?.()
      const read = createFrameReader(deliver)
      const decoder = new TextDecoder()
      const reader = response.body.getReader()
      for (;;) {
        const { done, value } = await reader.read()
        if (done || controller !== mine) break
        armed()
        read(decoder.decode(value, { stream: true }))
      }
    } catch {
      // Every way a line can break ends here; the answer is the same: connect again.
    }
    if (controller !== mine) return
    cancelSilence?.()
    controller = null
    tell('reconnecting')
    failures += 1
    cancelWait = options.wait(Math.min(10_000, 250 * 2 ** Math.min(failures, 6)), () => {
      cancelWait = null
      restart()
    })
  }

  function restart() {
    cancelWait?.()
    cancelWait = null
    cancelSilence?.()
    const old = controller
    controller = null
    old?.abort()
    const { wants, params } = query()
    wanted = wants
    if (wanted === '') return
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
      listeners.add(listener)
      // The line may already carry this topic for another listener: then it is connected now.
      if (controller !== null && freshness === 'live' && query().wants === wanted) listener.onConnected?.()
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
    /** The network is back: no more waiting for the next attempt. */
    reachable(): void {
      if (cancelWait !== null) restart()
    },
    freshness: () => freshness,
    watch(watcher: () => void): () => void {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
  }
}
