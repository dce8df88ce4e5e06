/** Where the label of an edge stands, so that the line and its arrow stay visible. Pure. */

/** The width of a letter of a label, and what its frame takes, in units of the canvas. */
export const LETTER = 6.6
export const FRAME = 12

/** What of a line must stay visible beside its label. */
const VISIBLE = 40

/** How far a label is above a line that has no room beside it. */
const ABOVE = 13

export const labelWidth = (text: string): number => text.length * LETTER + FRAME

type Ends = {
  readonly sourceX: number
  readonly sourceY: number
  readonly targetX: number
  readonly targetY: number
}

/** How far a label must be moved up from the middle of its line: only where it would cover nearly all of a level line. */
export function labelLift(text: string, { sourceX, sourceY, targetX, targetY }: Ends): number {
  const step = Math.abs(targetY - sourceY)
  const isShort = Math.abs(targetX - sourceX) < labelWidth(text) + VISIBLE
  return step < 2 * ABOVE && isShort ? step / 2 + ABOVE : 0
}

/** The room between two columns of cards in which the labels of edges leave some of their lines visible. */
export function roomForLabels(labels: readonly (string | null)[], least: number, most: number): number {
  const widest = labels.reduce((width, text) => Math.max(width, text === null ? 0 : labelWidth(text)), 0)
  return widest === 0 ? least : Math.min(most, Math.max(least, Math.ceil(widest + VISIBLE)))
}
