import { isRecord } from '@/core/pipeline/json'
import type { Readable } from './readable'

/** How far below a value names are offered, and how many: an answer may have thousands. */
const DEEPEST = 4
const MOST = 200

/** The names below a value that a trial or a run has left: `fetch.body.total`, each with its type. Only names that an expression can say. */
export function membersBelow(name: string, value: unknown): readonly Readable[] {
  const found: Readable[] = []
  let level: readonly (readonly [string, unknown])[] = [[name, value]]
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth += 1) {
    level = level.flatMap(([above, each]) =>
      isRecord(each)
        ? Object.entries(each)
            .filter(([key]) => /^[A-Za-z_]\w*$/.test(key))
            .map(([key, member]) => [`${above}.${key}`, member] as const)
        : [],
    )
    for (const [below, member] of level) {
      if (found.length === MOST) return found
      found.push({ name: below, type: typeOf(member), doc: 'As the last trial or run had it.' })
    }
  }
  return found
}

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
