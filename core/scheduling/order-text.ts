/** What of a node that waits decides its turn. */
export type Turn = {
  readonly executionId: string
  readonly nodeId: string
  readonly priority: number
  /** Milliseconds. */
  readonly path: number
  readonly risk: number
}

/** Why a node goes before another that waits, in words [H-3, H-4]. */
export function orderText(own: Turn, behind: Turn): string {
  const same = own.executionId === behind.executionId
  const other = `${behind.nodeId}${same ? '' : ` of ${behind.executionId}`}`
  if (own.priority > behind.priority)
    return `before ${other}: priority ${own.priority} over ${behind.priority}`
  if (same) return `before ${other}: ${pathText(own)} over ${pathText(behind)}`
  return `before ${other}: it has waited longer, or its run holds less`
}

const pathText = ({ path, risk }: Turn): string =>
  `${timeText(path)} of critical path × risk ${Math.round(risk * 100) / 100}`

function timeText(ms: number): string {
  if (ms >= 3_600_000) return `${Math.round(ms / 360_000) / 10} h`
  if (ms >= 60_000) return `${Math.round(ms / 60_000)} min`
  return ms >= 1_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms)} ms`
}
