// What a hand does on the canvas, by real pointer events.
import type { Locator, Page } from '@playwright/test'
import { expect } from './fixture'

export type Point = { readonly x: number; readonly y: number }

/** The middle of something once it stands still: the canvas glides when it is fitted, and to a node that is chosen. */
export async function middleOf(place: Locator): Promise<Point> {
  let before = ''
  await expect
    .poll(async () => {
      const now = JSON.stringify(await place.boundingBox())
      const still = now === before && now !== 'null'
      before = now
      return still
    })
    .toBe(true)
  const { x, y, width, height } = JSON.parse(before) as Record<'x' | 'y' | 'width' | 'height', number>
  return { x: x + width / 2, y: y + height / 2 }
}

export async function drag(page: Page, from: Point, to: Point): Promise<void> {
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(to.x, to.y, { steps: 12 })
  await page.mouse.up()
}

const nodeOf = (page: Page, node: string) => page.locator(`.react-flow__node[data-id="${node}"]`)

/** The end of a node at which edges of an outcome begin. */
export const outcomeOf = (page: Page, node: string, outcome: string): Locator =>
  nodeOf(page, node).locator(`.react-flow__handle[data-handleid="${outcome}"]`)

/** The end of a node at which edges arrive: its gate. */
export const gateOf = (page: Page, node: string): Locator =>
  nodeOf(page, node).locator('.react-flow__handle.target')

/** `extract.completed>load` */
export const edge = (page: Page, id: string): Locator => page.locator(`.react-flow__edge[data-id="${id}"]`)

/** Draws an edge from an outcome of a node to another node. */
export async function connect(page: Page, from: string, outcome: string, to: string): Promise<void> {
  await drag(page, await middleOf(outcomeOf(page, from, outcome)), await middleOf(gateOf(page, to)))
  await expect(edge(page, `${from}.${outcome}>${to}`)).toBeAttached()
}

/** A click of somebody who takes their time: what a press alone changes is drawn before the button is let go. */
export async function slowClick(page: Page, { x, y }: Point): Promise<void> {
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.evaluate(
    () =>
      new Promise<void>((drawn) =>
        requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(() => drawn()))),
      ),
  )
  await page.mouse.up()
}
