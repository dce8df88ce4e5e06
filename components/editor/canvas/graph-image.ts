import { getSmoothStepPath, Position as Side } from '@xyflow/react'
import type { Flow } from '@/components/editor/model/flow'
import { handlesOf } from '@/components/graph/card'
import type { DrawnNode } from '@/components/graph/model/drawing'
import { sizeOf } from '@/components/graph/model/layout'
import { around, type Box } from '@/components/graph/model/boxes'
import { boxesOf, drawingOf } from '@/components/editor/model/canvas/flow-drawing'
import type { Note } from '@/components/editor/model/canvas/notes'

/**
 * The whole graph as an SVG document of its own: shapes and texts alone, so that any program opens it, however many nodes there are and whatever
 * of them is on the screen. Pure.
 */

export type Ink = {
  readonly ground: string
  readonly surface: string
  readonly line: string
  readonly ink: string
  readonly faint: string
  readonly note: string
}

const EDGE = 32
const FONT = "'Inter Variable', Inter, system-ui, sans-serif"
const MONO = "'JetBrains Mono Variable', 'JetBrains Mono', ui-monospace, monospace"

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text of people inside of a document; signs that no document may hold are left out. */
const escaped = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, '').replace(/[&<>"']/g, (sign) => escapes[sign] ?? sign)

/** A line of text that ends where its card does. */
const short = (text: string, most: number): string => {
  const signs = [...text]
  return signs.length > most ? `${signs.slice(0, most - 1).join('')}…` : text
}

export function graphImage(
  flow: Flow,
  notes: readonly Note[],
  ink: Ink,
): { readonly svg: string; readonly width: number; readonly height: number } {
  const drawing = drawingOf(flow)
  const boxes = boxesOf(flow)
  const frame = around([...boxes.values(), ...notes]) ?? { x: 0, y: 0, width: 0, height: 0 }
  const [width, height] = [Math.ceil(frame.width) + 2 * EDGE, Math.ceil(frame.height) + 2 * EDGE]
  const drawn = new Map(drawing.nodes.map((node) => [node.id, node]))
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${Math.floor(frame.x) - EDGE} ${Math.floor(frame.y) - EDGE} ${width} ${height}">`,
    `<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="${ink.line}"/></marker></defs>`,
    `<rect x="${Math.floor(frame.x) - EDGE}" y="${Math.floor(frame.y) - EDGE}" width="${width}" height="${height}" fill="${ink.ground}"/>`,
    ...notes.map((note) => noteShape(note, ink)),
    ...drawing.edges.map((edge) => {
      const [from, to] = [drawn.get(edge.from), drawn.get(edge.to)]
      const [start, end] = [boxes.get(edge.from), boxes.get(edge.to)]
      return from && to && start && end ? edgeShape({ from, to, start, end }, edge.port, edge.label, ink) : ''
    }),
    ...drawing.nodes.map((node) => cardShape(node, boxes.get(node.id)!, ink)),
    '</svg>',
  ]
  return { svg: parts.join('\n'), width, height }
}

function edgeShape(
  { from, to, start, end }: { from: DrawnNode; to: DrawnNode; start: Box; end: Box },
  port: string,
  label: string | null,
  ink: Ink,
): string {
  const middle = (node: DrawnNode, box: Box, id: string | null) => {
    const handles = handlesOf(node, 'right', sizeOf(node))
    const handle = handles.find((one) => (id === null ? one.type === 'target' : one.id === id)) ?? handles[0]!
    return { x: box.x + handle.x + (handle.width ?? 0) / 2, y: box.y + handle.y + (handle.height ?? 0) / 2 }
  }
  const [a, b] = [middle(from, start, port), middle(to, end, null)]
  const [path, x, y] = getSmoothStepPath({
    sourceX: a.x,
    sourceY: a.y,
    targetX: b.x,
    targetY: b.y,
    sourcePosition: Side.Right,
    targetPosition: Side.Left,
    borderRadius: 8,
  })
  const line = `<path d="${path}" fill="none" stroke="${ink.line}" stroke-width="1.5" marker-end="url(#end)"/>`
  if (label === null) return line
  const text = short(label, 48)
  const wide = text.length * 6.6 + 10
  return `${line}<rect x="${x - wide / 2}" y="${y - 9}" width="${wide}" height="18" rx="4" fill="${ink.surface}" stroke="${ink.line}" stroke-width="0.5"/><text x="${x}" y="${y + 4}" text-anchor="middle" font-family="${MONO}" font-size="11" fill="${ink.faint}">${escaped(text)}</text>`
}

function cardShape(node: DrawnNode, { x, y, width, height }: Box, ink: Ink): string {
  if (node.kind === 'signal')
    return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${height / 2}" fill="${ink.ground}" stroke="${ink.line}" stroke-dasharray="4 3"/><text x="${x + 16}" y="${y + height / 2 + 4}" font-family="${MONO}" font-size="11" fill="${ink.faint}">${escaped(short(node.name, 20))}</text>`
  const gate = node.gate.map((mark) => (mark === 'condition' ? 'IF' : mark.toUpperCase())).join(' ')
  const mark =
    gate === ''
      ? ''
      : `<rect x="${x - 12}" y="${y + 4}" width="${gate.length * 6 + 8}" height="14" rx="3" fill="${ink.surface}" stroke="${ink.line}"/><text x="${x - 8}" y="${y + 14}" font-family="${MONO}" font-size="9" font-weight="600" fill="${ink.faint}">${gate}</text>`
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" fill="${ink.surface}" stroke="${ink.line}"/><text x="${x + 16}" y="${y + 25}" font-family="${FONT}" font-size="13" font-weight="600" fill="${ink.ink}">${escaped(short(node.name, 28))}</text><text x="${x + 16}" y="${y + 43}" font-family="${MONO}" font-size="11" fill="${ink.faint}">${escaped(short(node.child?.pipeline ?? node.task, 28))}</text>${mark}`
}

function noteShape({ x, y, width, height, text }: Note, ink: Ink): string {
  const lines = text.split('\n').slice(0, Math.max(1, Math.floor((height - 16) / 18)))
  const most = Math.max(4, Math.floor((width - 24) / 7))
  const words = lines.map(
    (line, at) =>
      `<text x="${x + 12}" y="${y + 24 + at * 18}" font-family="${FONT}" font-size="13" fill="${ink.ink}">${escaped(short(line, most))}</text>`,
  )
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" fill="${ink.note}" stroke="${ink.line}" stroke-width="0.5"/>${words.join('')}`
}
