import type { GateShape } from '@/core/pipeline/gate/shape'

/** What the label of an edge says, and where it stands, so that the line and its arrow stay visible. Pure. */

/** The width of a letter of a label, and what its frame takes, in units of the canvas. */
const LETTER = 6.6
const FRAME = 12

/** The height of a label with its frame. */
export const LABEL_HEIGHT = 18

/** What of a line must stay visible beside its label. */
export const VISIBLE = 40

/** How far a label is above a line that has no room beside it. */
const ABOVE = 13

/** Longest label of an edge on the canvas; its title says all of it. */
export const LONGEST = 48

/** Length of an outcome, which is never cut, however close the cards are. */
const SHORTEST = 10

/** Cards that are this much higher or lower than each other leave room beside the line between them. */
const APART = 72

/** What an edge says of one event: its sign, its outcome and what must hold beside it. */
type Said = {
  readonly negated: boolean
  readonly outcome: string
  readonly conditions: readonly string[]
}

/** The label of an edge for all of its events; null where it says nothing but that its source is completed. */
export const edgeText = (events: readonly Said[]): string | null => joined(events.map(textOf))

function textOf({ negated, outcome, conditions }: Said): string | null {
  const words = [
    ...(negated ? ['not'] : []),
    ...(outcome === 'completed' ? [] : [outcome]),
    ...conditions.map((condition) => `if ${condition}`),
  ]
  return words.length === 0 ? null : words.join(' ')
}

/** The labels of all edges between two nodes as one. */
export function joined(labels: readonly (string | null)[]): string | null {
  const texts = new Set(labels)
  if (texts.size <= 1) return labels[0] ?? null
  return [...texts].map((text) => text ?? 'completed').join(' or ')
}

/** A label without its conditions, but with the word that there are some. */
export const wordsOf = (label: string | null): string | null => label?.replace(/\bif .*$/s, 'if …') ?? null

/** The conditions that stand beside one event of a gate alone, as CEL writes them. */
export const conditionsAt = ({ conditions }: GateShape, index: number): string[] =>
  conditions.filter(({ edge }) => edge === index).map(({ source, negated }) => shownAs(source, negated))

/** A condition as the canvas shows it: under a `!` as CEL writes it. */
export const shownAs = (source: string, negated: boolean): string => (negated ? `!(${source})` : source)

export const labelWidth = (text: string): number => Math.min(text.length, LONGEST) * LETTER + FRAME

type Ends = {
  readonly sourceX: number
  readonly sourceY: number
  readonly targetX: number
  readonly targetY: number
}

export const cutTo = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text

/** What a label may say, from all of it to what is never cut. */
export const labelTexts = (text: string): readonly string[] => [
  ...new Set([LONGEST, 32, 20, SHORTEST].map((most) => cutTo(text, most))),
]

/** How much of a label has room between its cards. */
export function cutLabel(text: string, { sourceX, sourceY, targetX, targetY }: Ends): string {
  const free = Math.abs(targetY - sourceY) > APART || targetX < sourceX
  const letters = free ? LONGEST : Math.floor((targetX - sourceX - FRAME) / LETTER)
  return cutTo(text, Math.min(LONGEST, Math.max(SHORTEST, letters)))
}

/** How far a label must be moved up from the middle of its line: only where it would cover nearly all of a level line. */
export function labelLift(text: string, { sourceX, sourceY, targetX, targetY }: Ends): number {
  const step = Math.abs(targetY - sourceY)
  const isShort = Math.abs(targetX - sourceX) < labelWidth(text) + VISIBLE
  return step < 2 * ABOVE && isShort ? step / 2 + ABOVE : 0
}
