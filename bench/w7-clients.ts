import { Agent, get, type IncomingMessage } from 'node:http'
import { quantile } from './workload'

/** What the workload asks of its readers; each is answered when it is done. */
export type Ask =
  /** Opens the streams, or opens them again where each had got to; done when each has its `upTo`. */
  | {
      readonly kind: 'open'
      readonly origin: string
      readonly token: string
      readonly streams: readonly Stream[]
    }
  /** Readers that take 64 KB four times a second, from the first event on. */
  | {
      readonly kind: 'slow'
      readonly origin: string
      readonly token: string
      readonly path: string
      readonly count: number
    }
  /** Done when every stream of `path` has got that far. */
  | { readonly kind: 'reach'; readonly path: string; readonly seq: number }
  /** Forgets the times so far. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'report' }
  /** Cuts every connection that `open` made. */
  | { readonly kind: 'cut' }

export type Stream = { readonly path: string; readonly after: number; readonly upTo: number }

export type Report = {
  /** Milliseconds from the timestamp of an event until one reader had it. */
  readonly p50: number
  readonly p99: number
  readonly longest: number
  readonly received: number
  readonly gaps: number
  readonly duplicates: number
  /** Milliseconds that the last `open` took. */
  readonly openMs: number
}

type Reader = { readonly path: string; last: number; wanted: number; response: IncomingMessage | null }

/** The thousand readers, in a process of their own: what they cost is not the server's. Ends with its parent. */
export function serveClients(): void {
  let readers: Reader[] = []
  let times: number[] = []
  let [gaps, duplicates, openMs] = [0, 0, 0]
  let look: () => void = () => {}

  function take(reader: Reader, message: string): void {
    const seq = Number(/^id: (\d+)$/m.exec(message)?.[1])
    if (Number.isNaN(seq)) return
    if (seq <= reader.last) duplicates += 1
    else if (seq > reader.last + 1) gaps += seq - reader.last - 1
    reader.last = Math.max(reader.last, seq)
    const from = message.indexOf('"timestamp":"') + 13
    times.push(performance.timeOrigin + performance.now() - Date.parse(message.slice(from, from + 24)))
    if (seq === reader.wanted) look()
  }

  function connect(reader: Reader, origin: string, token: string): Promise<void> {
    return new Promise((resolve) => {
      const headers = { authorization: `Bearer ${token}`, 'last-event-id': String(reader.last) }
      ask(origin + reader.path, headers, (response) => {
        reader.response = response
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
          for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
            take(reader, text.slice(0, end))
            text = text.slice(end + 2)
          }
        })
        // Cut by ourselves: expected. By the server: then what it owes never comes, and the workload says so.
        response.on('error', () => {})
        resolve()
      })
    })
  }

  /** Done when all readers have what is wanted of them. */
  const reached = () =>
    new Promise<void>((resolve) => {
      look = () => {
        if (readers.every(({ last, wanted }) => last >= wanted)) resolve()
      }
      look()
    })

  async function answer(message: Ask): Promise<Report> {
    if (message.kind === 'open') {
      const began = performance.now()
      readers = message.streams.map(({ path, after, upTo }, at) => ({
        path,
        last: readers[at]?.last ?? after,
        wanted: upTo,
        response: null,
      }))
      await Promise.all(readers.map((reader) => connect(reader, message.origin, message.token)))
      await reached()
      openMs = performance.now() - began
    } else if (message.kind === 'slow') {
      await Promise.all(Array.from({ length: message.count }, () => readSlowly(message)))
    } else if (message.kind === 'reach') {
      for (const reader of readers) if (reader.path === message.path) reader.wanted = message.seq
      await reached()
    } else if (message.kind === 'reset') times = []
    else if (message.kind === 'cut') for (const { response } of readers) response?.destroy()
    return {
      p50: quantile(times, 0.5),
      p99: quantile(times, 0.99),
      longest: times.reduce((most, time) => Math.max(most, time), 0),
      received: times.length,
      gaps,
      duplicates,
      openMs,
    }
  }

  process.on('message', (message: Ask) => {
    void answer(message).then((report) => process.send!(report))
  })
  process.on('disconnect', () => process.exit(0))
}

function readSlowly({ origin, token, path }: Extract<Ask, { kind: 'slow' }>): Promise<void> {
  return new Promise((resolve) => {
    ask(origin + path, { authorization: `Bearer ${token}` }, (response) => {
      response.pause()
      setInterval(() => response.read(Math.min(65_536, response.readableLength)), 250)
      resolve()
    })
  })
}

function ask(url: string, headers: Record<string, string>, answered: (response: IncomingMessage) => void) {
  get(url, { agent: new Agent(), headers }, (response) => {
    if (response.statusCode !== 200) throw new Error(`GET ${url}: ${response.statusCode}`)
    answered(response)
  })
}
