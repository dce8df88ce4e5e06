export type LoggedEntry = {
  readonly event: {
    readonly seq: number
    readonly type: string
    readonly source: { readonly entity_type: string; readonly entity_id: string }
    readonly attempt?: number
    readonly item?: number
    readonly payload: Readonly<Record<string, unknown>>
  }
  readonly variables: readonly { readonly name: string; readonly value: unknown }[]
}

/** The kind of the error that a payload names. The oracle also judges logs of other engines, so nothing of a payload is known. */
export function errorKind({ payload }: LoggedEntry['event']): string | undefined {
  const { error } = payload
  return typeof error === 'object' && error !== null && 'kind' in error ? String(error.kind) : undefined
}

const ENDINGS = ['completed', 'failed', 'skipped', 'cancelled'] as const

/** What a whole log says: when things first happened, how nodes ended, and the last value of every variable. */
export class ReadLog {
  readonly first = new Map<string, LoggedEntry>()
  readonly values = new Map<string, unknown>()

  constructor(log: readonly LoggedEntry[]) {
    for (const entry of log) {
      if (!this.first.has(entry.event.type)) this.first.set(entry.event.type, entry)
      for (const { name, value } of entry.variables) this.values.set(name, value)
    }
  }

  /** The seq of the first event of a type; Infinity when there is none. */
  at(type: string): number {
    return this.first.get(type)?.event.seq ?? Infinity
  }

  /** How a node ended; null unless in exactly one way. */
  endOf(id: string): { ending: (typeof ENDINGS)[number]; at: number; entry: LoggedEntry } | null {
    const ends = ENDINGS.filter((ending) => this.first.has(`${id}.${ending}`))
    const [ending] = ends
    if (ending === undefined || ends.length > 1) return null
    const entry = this.first.get(`${id}.${ending}`)!
    return { ending, at: entry.event.seq, entry }
  }
}
