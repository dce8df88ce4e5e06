import { inspect } from 'node:util'
import { pino, type DestinationStream } from 'pino'
import { LEVELS, type Level, type Said } from './log-line'

/** The server's log. What happens to the server is a sentence, with the error that caused it. */
export type Log = { readonly [level in Level]: (event: string, error?: unknown) => void } & {
  /** What happens in a run. */
  readonly line: (level: Level, said: Said) => void
  /** Is a line of that level written? */
  readonly writes: (level: Level) => boolean
}

export type LogOptions = {
  /** The least level that is written; `silent`: none. */
  readonly level: string
  /** Texts that never appear in it, wherever they would stand. */
  readonly secrets?: readonly (string | null)[]
  /** Where lines go; absent: standard error. */
  readonly destination?: DestinationStream
}

/** A longer event is cut: a line stays a line. Characters. */
const LONGEST = 16_000

const OF_SERVER = {
  execution_id: null,
  phase_id: null,
  task_id: null,
  duration_ms: null,
  trace_id: null,
  span_id: null,
} as const

/** JSON lines as `logLine` says, on standard error. Credentials never get that far, and if one does it is taken out. */
export function createLog({ level, secrets = [], destination }: LogOptions): Log {
  const redact = createRedaction(secrets)
  const lines = pino(
    {
      level,
      base: null,
      timestamp: () => `,"timestamp":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label.toUpperCase() }) },
      redact: { paths: ['event'], censor: (event) => redact(String(event)) },
    },
    destination ?? pino.destination({ dest: 2, sync: false }),
  )
  const line = (at: Level, said: Said) => lines[at](said)
  const sentence = (at: Level) => (event: string, error?: unknown) => {
    if (lines.isLevelEnabled(at)) line(at, { ...OF_SERVER, event: eventOf(event, error) })
  }
  const levels = Object.fromEntries(LEVELS.map((at) => [at, sentence(at)])) as {
    [at in Level]: ReturnType<typeof sentence>
  }
  return { ...levels, line, writes: (at) => lines.isLevelEnabled(at) }
}

function eventOf(event: string, error: unknown): string {
  if (error === undefined) return event.slice(0, LONGEST)
  return `${event}: ${inspect(error, { depth: 4 })}`.slice(0, LONGEST)
}

/** What carries a credential by its shape. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 [redacted]'],
  [
    /((?:authorization|cookie|token|secret|password|api[_-]?key)['"]?\s*[:=]\s*)(?:'[^']*'|"[^"]*"|[^\s,;&}]+)/gi,
    '$1[redacted]',
  ],
]

function createRedaction(secrets: readonly (string | null)[]): (text: string) => string {
  const known = secrets.filter((secret): secret is string => secret !== null && secret !== '')
  return (text) => {
    let clean = text
    for (const secret of known) clean = clean.replaceAll(secret, '[redacted]')
    for (const [shape, by] of SHAPES) clean = clean.replace(shape, by)
    return clean
  }
}
