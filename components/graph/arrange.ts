import { layOut } from './layered-layout'
import { arrangedLayout, rememberLayout } from './model/arranged'
import type { Drawing } from './model/drawing'
import { quickLayout, type Direction, type Layout } from './model/layout'

/** Computes the layout of a drawing, or answers the one that is known of its shape. */
export async function arrange(drawing: Drawing, direction: Direction): Promise<Layout> {
  const known = arrangedLayout(drawing, direction)
  if (known !== null) return known
  const layout = await layOut(drawing, direction).catch(() => quickLayout(drawing, direction))
  rememberLayout(drawing, direction, layout)
  return layout
}
