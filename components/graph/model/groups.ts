import type { Drawing, DrawnEdge, DrawnNode } from './drawing'
import { wordsOf } from './edge-label'
import { depthsOf } from './levels'

/**
 * Nodes that are alike: they do the same task on the same level, and what comes before and after them is alike. Many of them are drawn as one
 * card. Pure.
 */

/** From this many nodes on, those that are alike are one card. */
export const FOLDED_FROM = 32

/** The ids of each group, in the order of the drawing. */
export type Groups = readonly (readonly string[])[]

const NONE: Groups = []

/** The groups of a drawing. The same object for drawings that have the same nodes and edges in any state. */
export function groupsOf(drawing: Drawing): Groups {
  if (drawing.nodes.length < FOLDED_FROM) return NONE
  // The latest drawing is remembered: of the next one most nodes are the same objects.
  const groups = last !== null && isSameShape(last.drawing, drawing) ? last.groups : findGroups(drawing)
  last = { drawing, groups }
  return groups
}

let last: { readonly drawing: Drawing; readonly groups: Groups } | null = null

function isSameShape(a: Drawing, b: Drawing): boolean {
  return isSameList(a.nodes, b.nodes, isSameNode) && isSameList(a.edges, b.edges, isSameEdge)
}

function isSameList<T>(a: readonly T[], b: readonly T[], isSame: (a: T, b: T) => boolean): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at] && !isSame(a[at]!, b[at]!)) return false
  return true
}

const isSameNode = (a: DrawnNode, b: DrawnNode): boolean => a.id === b.id && kindOf(a) === kindOf(b)

const isSameEdge = (a: DrawnEdge, b: DrawnEdge): boolean =>
  a.from === b.from && a.to === b.to && wayOf(a) === wayOf(b)

// An AND is marked in the editor only.
const kindOf = ({ kind, task, child, finally: last, each, gate, change }: DrawnNode): string =>
  `${kind} ${child?.pipeline ?? task} ${last} ${each} ${gate.filter((mark) => mark !== 'and').join()} ${change}`

/** Each of many that are alike may have a condition of its own. */
const wayOf = ({ port, label, change }: DrawnEdge): string => `${port} ${wordsOf(label)} ${change}`

function findGroups({ nodes, edges }: Drawing): Groups {
  const before = linksBy(edges, 'to', 'from')
  const after = linksBy(edges, 'from', 'to')
  const depth = depthsOf(
    nodes.map(({ id }) => id),
    new Map([...before].map(([id, links]) => [id, links.map(({ id: other }) => other)])),
  )
  const down = nodes.toSorted((a, b) => depth.get(a.id)! - depth.get(b.id)!)
  const up = down.toReversed()
  // Every pass divides by what the pass before found of the nodes on the other side.
  let classes = divide(down, before, (node) => `${kindOf(node)} ${depth.get(node.id)}`)
  classes = divide(up, after, ({ id }) => `${classes.get(id)}`)
  classes = divide(down, before, ({ id }) => `${classes.get(id)}`)
  const members = new Map<number, string[]>()
  for (const { id, kind } of nodes) {
    if (kind !== 'task') continue
    const found = classes.get(id)!
    const list = members.get(found)
    if (list === undefined) members.set(found, [id])
    else list.push(id)
  }
  const groups = [...members.values()].filter(({ length }) => length >= FOLDED_FROM)
  return groups.length === 0 ? NONE : groups
}

type Link = { readonly id: string; readonly way: string }

function linksBy(
  edges: readonly DrawnEdge[],
  near: 'from' | 'to',
  far: 'from' | 'to',
): ReadonlyMap<string, readonly Link[]> {
  const links = new Map<string, Link[]>()
  for (const edge of edges) {
    const link = { id: edge[far], way: wayOf(edge) }
    const list = links.get(edge[near])
    if (list === undefined) links.set(edge[near], [link])
    else list.push(link)
  }
  return links
}

/** The classes of nodes by their own key and by the classes of what they are linked with, which comes earlier in `order`. */
function divide(
  order: readonly DrawnNode[],
  links: ReadonlyMap<string, readonly Link[]>,
  keyOf: (node: DrawnNode) => string,
): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>()
  const classes = new Map<string, number>()
  for (const node of order) {
    const near = new Set<string>()
    for (const { id, way } of links.get(node.id) ?? []) near.add(`${classes.get(id)} ${way}`)
    const key = `${keyOf(node)}\n${[...near].sort().join('\n')}`
    const number = numbers.get(key) ?? numbers.size
    numbers.set(key, number)
    classes.set(node.id, number)
  }
  return classes
}
