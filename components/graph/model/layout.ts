import { freePlace, type Box, type Point, type Size } from './boxes'
import type { Drawing, DrawnNode } from './drawing'
import { levelsOf } from './levels'

/** The upper left corner of each node, in canvas units. */
export type Layout = ReadonlyMap<string, Point>
export type Direction = 'right' | 'down'

/** Editor and run draw cards of one size, so that positions mean the same in both. */
export const CARD: Size = { width: 224, height: 72 }
const SIGNAL: Size = { width: 164, height: 36 }

/** The frame around the nodes of an open group: its heading, its padding, and the gap between cards. */
const HEADING = 40
const PADDING = 16
const GAP = 16

/** How many of the nodes of an open group are beside each other. */
const columnsOf = (count: number, direction: Direction): number =>
  direction === 'down' ? Math.min(2, count) : squareColumns(count, CARD.width + GAP, CARD.height + GAP)

/** How many columns make a block of cells about as wide as a screen is, for its height. */
const squareColumns = (count: number, width: number, height: number): number =>
  Math.max(1, Math.ceil(Math.sqrt((count * height * 1.6) / width)))

const frames = new Map<string, Size>()

/** The frame of an open group of so many; the same object for the same count. */
function frameOf(count: number, direction: Direction): Size {
  const key = `${count} ${direction}`
  const known = frames.get(key)
  if (known !== undefined) return known
  const columns = columnsOf(count, direction)
  const rows = Math.ceil(count / columns)
  const frame = {
    width: columns * (CARD.width + GAP) - GAP + 2 * PADDING,
    height: rows * (CARD.height + GAP) - GAP + 2 * PADDING + HEADING,
  }
  frames.set(key, frame)
  return frame
}

/** Where the nodes of an open group are, from the corner of its frame. */
export function cellOf(at: number, count: number, direction: Direction): Point {
  const columns = columnsOf(count, direction)
  return {
    x: PADDING + (at % columns) * (CARD.width + GAP),
    y: HEADING + PADDING + Math.floor(at / columns) * (CARD.height + GAP),
  }
}

/** The size of a card. */
export function sizeOf(
  { kind, group }: Pick<DrawnNode, 'kind' | 'group'>,
  direction: Direction = 'right',
): Size {
  if (kind === 'signal') return SIGNAL
  return group?.open === true ? frameOf(group.ids.length, direction) : CARD
}

type Positions = { readonly [id: string]: Point }

/** The largest coordinate that is drawn, in canvas units. */
const FARTHEST = 1_000_000

const isNear = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) <= FARTHEST

/** Whether these are coordinates at which a card can be drawn. A definition may hold anything here. */
export const isPosition = ({ x, y }: { readonly x?: unknown; readonly y?: unknown }): boolean =>
  isNear(x) && isNear(y)

/**
 * The positions of the definition. A group is where its first node is. Nodes that have none that can be drawn come where there is room
 * behind what they wait for; null where most have none: then the graph is laid out. Signals have no stored positions: they are stacked
 * above the gap before their first listener, where no edge of the row runs.
 */
export function storedLayout(drawing: Drawing, positions: Positions | undefined): Layout | null {
  if (positions === undefined) return null
  const layout = new Map<string, Point>()
  const others: DrawnNode[] = []
  for (const node of drawing.nodes) {
    if (node.kind === 'signal') continue
    const id = node.group?.ids[0] ?? node.id
    const at = Object.hasOwn(positions, id) ? positions[id] : undefined
    if (at === undefined || !isPosition(at)) others.push(node)
    else layout.set(node.id, { x: at.x, y: at.y })
  }
  if (layout.size < others.length || layout.size === 0) return null
  if (others.length > 0) placeBehind(drawing, others, layout)
  const above = new Map<string, number>()
  for (const node of drawing.nodes) {
    if (node.kind !== 'signal') continue
    const listener = drawing.edges.find((edge) => edge.from === node.id)?.to ?? ''
    const at = layout.get(listener)
    const storey = above.get(listener) ?? 0
    above.set(listener, storey + 1)
    layout.set(
      node.id,
      at === undefined
        ? { x: 0, y: 0 }
        : { x: at.x - SIGNAL.width - 40, y: at.y - (storey + 1) * (SIGNAL.height + 24) },
    )
  }
  return layout
}

/** Gives nodes without a position one to the right of the last of what they wait for. */
function placeBehind(drawing: Drawing, others: readonly DrawnNode[], layout: Map<string, Point>): void {
  const boxes: Box[] = [...layout.values()].map((at) => ({ ...at, ...CARD }))
  const [first] = boxes.toSorted((a, b) => a.x - b.x || a.y - b.y)
  for (const node of others) {
    const before = drawing.edges.flatMap(({ from, to }) => (to === node.id ? (layout.get(from) ?? []) : []))
    const behind = before.toSorted((a, b) => b.x - a.x)[0]
    const wanted = behind === undefined ? first! : { x: behind.x + STEP.right.x, y: behind.y }
    const box = { ...CARD, ...freePlace({ ...CARD, x: wanted.x, y: wanted.y }, boxes) }
    boxes.push(box)
    layout.set(node.id, { x: box.x, y: box.y })
  }
}

/** The most cards of one level in one line: to the right they are one below the other, down they are side by side. */
const MOST_IN_LINE = { right: 32, down: 2 } as const

/** Whether a graph has too many cards beside each other for the layered layout, which wraps none. Narrow screens have room for two. */
export const needsWrapping = (drawing: Drawing, direction: Direction): boolean =>
  levelsOf(drawing).some(({ length }) => length > (direction === 'down' ? 1 : MOST_IN_LINE.right))

/** From one card to the next: along the levels, where edges and their labels are, and across them. */
const STEP = { right: { x: 288, y: 104 }, down: { x: 248, y: 128 } } as const

/** Room for labels above the cards of a level, where graphs go down. */
const FOR_LABELS = 32

/** Levels one after the other, computed at once. A level that has too many cards for one line is a block of several lines. */
export function quickLayout(drawing: Drawing, direction: Direction): Layout {
  const layout = new Map<string, Point>()
  const { x: right, y: below } = STEP[direction]
  const levels = levelsOf(drawing).map((level) => linesOf(level, direction))
  // Downwards, lines are in the middle of the screen.
  const widest = Math.max(0, ...levels.flat().map(({ length }) => length))
  const labelled = new Set(drawing.edges.flatMap(({ to, label }) => (label === null ? [] : [to])))
  let [begin, down] = [0, 0]
  for (const lines of levels) {
    if (direction === 'down' && begin > 0 && lines.flat().some(({ id }) => labelled.has(id)))
      down += FOR_LABELS
    for (const [line, nodes] of lines.entries())
      for (const [at, node] of nodes.entries()) {
        const { width, height } = sizeOf(node)
        const [column, row] = direction === 'right' ? [begin + line, at] : [at, begin + line]
        layout.set(
          node.id,
          direction === 'right'
            ? { x: column * right, y: row * below + (CARD.height - height) / 2 }
            : {
                x: (column + (widest - nodes.length) / 2) * right + (CARD.width - width) / 2,
                y: row * below + down,
              },
        )
      }
    begin += lines.length
  }
  return layout
}

function linesOf(level: readonly DrawnNode[], direction: Direction): readonly (readonly DrawnNode[])[] {
  const most =
    level.length <= MOST_IN_LINE[direction]
      ? Math.max(1, level.length)
      : direction === 'down'
        ? MOST_IN_LINE.down
        : Math.ceil(level.length / squareColumns(level.length, STEP.right.x, STEP.right.y))
  return Array.from({ length: Math.ceil(level.length / most) }, (_, line) =>
    level.slice(line * most, (line + 1) * most),
  )
}

/** A group that is open: the corner of its card, and how much larger its frame is. */
export type Opening = { readonly id: string; readonly at: Point; readonly more: Size }

/** The open groups of a drawing, from the first along the graph, at the positions that they have while all are closed. */
export function openingsOf(drawing: Drawing, layout: Layout, direction: Direction): readonly Opening[] {
  const axis = direction === 'right' ? 'x' : 'y'
  return drawing.nodes
    .flatMap((node): Opening[] => {
      const at = layout.get(node.id)
      if (node.group?.open !== true || at === undefined) return []
      const { width, height } = sizeOf(node, direction)
      return [{ id: node.id, at, more: { width: width - CARD.width, height: height - CARD.height } }]
    })
    .toSorted((a, b) => b.at[axis] - a.at[axis])
}

/**
 * Where a card is while groups are open: what comes after a group, or stands in its line behind it, makes room for its frame. The
 * positions that are stored do not change.
 */
export function besideOpen(openings: readonly Opening[], at: Point, direction: Direction): Point {
  return openings.reduce(
    ({ x, y }, { at: corner, more }) =>
      direction === 'right'
        ? x >= corner.x + CARD.width
          ? { x: x + more.width, y }
          : { x, y: x > corner.x - CARD.width && y > corner.y ? y + more.height : y }
        : y >= corner.y + CARD.height
          ? { x, y: y + more.height }
          : { x: y > corner.y - CARD.height && x > corner.x ? x + more.width : x, y },
    at,
  )
}

/** The inverse: where a card that is dropped there is while all groups are closed. */
export function withoutOpen(openings: readonly Opening[], at: Point, direction: Direction): Point {
  return openings.reduceRight(
    ({ x, y }, { at: corner, more }) =>
      direction === 'right'
        ? x >= corner.x + CARD.width + more.width
          ? { x: x - more.width, y }
          : { x, y: x > corner.x - CARD.width && y > corner.y + more.height ? y - more.height : y }
        : y >= corner.y + CARD.height + more.height
          ? { x, y: y - more.height }
          : { x: y > corner.y - CARD.height && x > corner.x + more.width ? x - more.width : x, y },
    at,
  )
}

const known = new WeakMap<Layout, { readonly key: string; readonly layout: Layout }>()

/**
 * The layout of a drawing with open groups, made from that of the same drawing with all of them closed. The same object as long as
 * the same groups are open.
 */
export function withOpen(drawing: Drawing, closed: Layout, direction: Direction): Layout {
  const openings = openingsOf(drawing, closed, direction)
  if (openings.length === 0) return closed
  const key = JSON.stringify(openings)
  const before = known.get(closed)
  if (before?.key === key) return before.layout
  const layout = new Map([...closed].map(([id, at]) => [id, besideOpen(openings, at, direction)] as const))
  for (const { id, group } of drawing.nodes) {
    if (group?.open !== true) continue
    const corner = layout.get(id) ?? { x: 0, y: 0 }
    for (const [at, member] of group.ids.entries()) {
      const cell = cellOf(at, group.ids.length, direction)
      layout.set(member, { x: corner.x + cell.x, y: corner.y + cell.y })
    }
  }
  known.set(closed, { key, layout })
  return layout
}
