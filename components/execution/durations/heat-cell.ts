/** A cell of the heat map: a node in a run. It stays the same cell when runs come in and others fall out. */
export type HeatCell = { readonly node: string; readonly run: string }

export type Position = { readonly row: number; readonly column: number }

const STEPS: { readonly [key: string]: Position | undefined } = {
  ArrowUp: { row: -1, column: 0 },
  ArrowDown: { row: 1, column: 0 },
  ArrowLeft: { row: 0, column: -1 },
  ArrowRight: { row: 0, column: 1 },
  Home: { row: 0, column: -Infinity },
  End: { row: 0, column: Infinity },
}

/** The position that a key leads to, within `rows` × `columns`; null for a key that leads nowhere. */
export function movedBy(
  key: string,
  from: Position,
  { rows, columns }: { readonly rows: number; readonly columns: number },
): Position | null {
  const step = STEPS[key]
  if (step === undefined) return null
  const within = (at: number, count: number) => Math.max(0, Math.min(count - 1, at))
  return { row: within(from.row + step.row, rows), column: within(from.column + step.column, columns) }
}

/** Where a cell is among nodes and runs; the first row or column where it is gone, or there is no cell. */
export function positionOf(
  cell: HeatCell | null,
  nodes: readonly { readonly node_id: string }[],
  runs: readonly { readonly execution_id: string }[],
): Position {
  return {
    row: Math.max(
      0,
      nodes.findIndex(({ node_id: id }) => id === cell?.node),
    ),
    column: Math.max(
      0,
      runs.findIndex(({ execution_id: id }) => id === cell?.run),
    ),
  }
}
