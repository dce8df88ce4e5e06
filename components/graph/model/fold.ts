import { isTerminal } from '@/core/engine/state'
import type { NodeStatus } from '@/core/engine/view/view'
import { BARE, type Drawing, type DrawnEdge, type DrawnGroup, type DrawnNode } from './drawing'
import { wordsOf } from './edge-label'
import { groupsOf, type Groups } from './groups'
import { reuseDrawing } from './memoize'

/** A drawing in which every group of alike nodes is one card. Pure. */

const GROUP = 'group\u0000'

/** The id of the card of a group, which no node has: that of its first node, marked. */
export const groupId = (first: string): string => `${GROUP}${first}`

/** The node by whose position a card is positioned: the first of a group, else itself. */
export const firstOf = (card: string): string => (isGroup(card) ? card.slice(GROUP.length) : card)

/** Whether this is the id of the card of a group. */
export const isGroup = (id: string): boolean => id.startsWith(GROUP)

/** States in which something happens or has to happen come before those in which nothing does. */
const ORDER: readonly NodeStatus[] = [
  'failed',
  'running',
  'retrying',
  'waiting',
  'queued',
  'rolled_back',
  'cancelled',
  'pending',
  'completed',
  'skipped',
]

/** The states of a group in words. */
export function countsText({ counts }: Pick<DrawnGroup, 'counts'>): string {
  const [done, others] = [
    counts.filter(({ status }) => status === 'completed'),
    counts.filter(({ status }) => status !== 'completed'),
  ]
  return [...done, ...others].map(({ status, count }) => `${count} ${status.replaceAll('_', ' ')}`).join(', ')
}

/** Which groups are open after one was opened or closed, and that one. */
export function toggled(
  opened: ReadonlySet<string>,
  id: string,
): { readonly opened: ReadonlySet<string>; readonly last: string } {
  const next = new Set(opened)
  if (!next.delete(id)) next.add(id)
  return { opened: next, last: id }
}

export type Folded = Drawing & {
  /** The card by which each node of a group is represented. */
  readonly cards: ReadonlyMap<string, string>
}

const NO_CARDS: ReadonlyMap<string, string> = new Map()
const NOTHING: ReadonlySet<string> = new Set()

type How = {
  /** The ids of the cards of groups that are open. */
  readonly opened?: ReadonlySet<string>
  /** Nodes whose own edges are drawn when their group is open. */
  readonly traced?: ReadonlySet<string>
}

/** Folds a drawing. `before`: the last result, whose members are reused where they are equal. */
export function fold(drawing: Drawing, how: How = {}, before: Folded | null = null): Folded {
  const groups = groupsOf(drawing)
  if (groups.length === 0) return { ...drawing, cards: NO_CARDS }
  const cards = cardsOf(groups)
  const members = new Map<string, DrawnNode[]>()
  for (const node of drawing.nodes) {
    const card = cards.get(node.id)
    if (card === undefined) continue
    const list = members.get(card)
    if (list === undefined) members.set(card, [node])
    else list.push(node)
  }
  const nodes: DrawnNode[] = []
  for (const node of drawing.nodes) {
    const card = cards.get(node.id)
    if (card === undefined) {
      nodes.push(node)
      continue
    }
    const list = members.get(card)!
    if (list[0] !== node) continue
    const open = how.opened?.has(card) ?? false
    nodes.push(drawGroup(card, list, open), ...(open ? list : []))
  }
  const next = { nodes, edges: foldEdges(drawing.edges, cards, how) }
  return { ...reuseDrawing(next, before), cards }
}

let lastCards: { readonly groups: Groups; readonly cards: ReadonlyMap<string, string> } | null = null

function cardsOf(groups: Groups): ReadonlyMap<string, string> {
  if (lastCards?.groups === groups) return lastCards.cards
  const cards = new Map(groups.flatMap((ids) => ids.map((id) => [id, groupId(ids[0]!)] as const)))
  lastCards = { groups, cards }
  return cards
}

function drawGroup(id: string, nodes: readonly DrawnNode[], open: boolean): DrawnNode {
  const [first, last] = [nodes[0]!, nodes.at(-1)!]
  const tally = new Map<NodeStatus, number>()
  for (const { status } of nodes) if (status !== null) tally.set(status, (tally.get(status) ?? 0) + 1)
  const counts = ORDER.flatMap((status) => {
    const count = tally.get(status)
    return count === undefined ? [] : [{ status, count }]
  })
  const outcomes = new Set(nodes.flatMap((node) => node.outcomes))
  return {
    ...BARE,
    id,
    kind: 'group',
    name: `${nodes.length} tasks`,
    task: first.task,
    child: first.child === null ? null : { ...first.child, execution: null },
    gate: first.gate,
    gateText: first.gateText,
    outcomes: [...outcomes],
    finally: first.finally,
    each: first.each,
    status: statusOf(counts),
    handled: nodes.every(({ status, handled }) => status !== 'failed' || handled) && tally.has('failed'),
    critical: nodes.some(({ critical }) => critical),
    stale: nodes.find(({ stale }) => stale !== null)?.stale ?? null,
    group: {
      ids: nodes.map((node) => node.id),
      counts,
      names: [first.name, last.name],
      open,
    },
    ...(first.change === undefined ? {} : { change: first.change }),
  }
}

/** The state in whose colour a group is: the first that matters. Some that are done beside some that are not is a group at work. */
function statusOf(counts: DrawnGroup['counts']): NodeStatus | null {
  const [first] = counts
  if (first === undefined) return null
  const some = counts.some(({ status }) => status !== 'skipped' && isTerminal(status))
  return first.status === 'pending' && some ? 'running' : first.status
}

type Bundle = { -readonly [Field in keyof DrawnEdge]: DrawnEdge[Field] } & { ids: string[] }

/** Edges whose ends are the same cards and that say the same are one edge, named by `ids`. */
function foldEdges(
  edges: readonly DrawnEdge[],
  cards: ReadonlyMap<string, string>,
  { opened = NOTHING, traced = NOTHING }: How,
): DrawnEdge[] {
  const bundles = new Map<string, Bundle>()
  const folded: DrawnEdge[] = []
  const own: DrawnEdge[] = []
  const endOf = (id: string): string => {
    const card = cards.get(id)
    return card === undefined || opened.has(card) ? id : card
  }
  for (const edge of edges) {
    const [from, to] = [cards.get(edge.from) ?? edge.from, cards.get(edge.to) ?? edge.to]
    if (from === edge.from && to === edge.to) {
      folded.push(edge)
      continue
    }
    if ([edge.from, edge.to].some((id) => traced.has(id) && opened.has(cards.get(id) ?? '')))
      own.push({ ...edge, from: endOf(edge.from), to: endOf(edge.to) })
    const id = `${from}>${to} ${edge.port} ${wordsOf(edge.label)}`
    const known = bundles.get(id)
    if (known === undefined) {
      const bundle = { ...edge, id, from, to, ids: [edge.id] }
      bundles.set(id, bundle)
      folded.push(bundle)
      continue
    }
    known.ids.push(edge.id)
    if (known.label !== edge.label) known.label = wordsOf(edge.label)
    known.critical ||= edge.critical
    known.flowing ||= edge.flowing
    if (known.state !== edge.state)
      known.state = known.state === 'taken' || edge.state === 'taken' ? 'taken' : 'open'
  }
  return [...folded, ...own]
}
