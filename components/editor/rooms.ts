import { lazy } from 'react'

/** What stands beside the canvas is loaded after it: the graph is there the sooner, and the rest before anybody has asked for it. */
const rooms = {
  code: () => import('./code/code-view'),
  outline: () => import('./outline/outline'),
  inspector: () => import('./node/inspector'),
  pipeline: () => import('./node/pipeline-form'),
}

export const CodeView = lazy(() => rooms.code().then((room) => ({ default: room.CodeView })))
export const Outline = lazy(() => rooms.outline().then((room) => ({ default: room.Outline })))
export const Inspector = lazy(() => rooms.inspector().then((room) => ({ default: room.Inspector })))
export const PipelineForm = lazy(() => rooms.pipeline().then((room) => ({ default: room.PipelineForm })))

/** Loads all of them. What cannot be loaded is asked for again when it is opened, which then tells. */
export async function loadRooms(): Promise<void> {
  await Promise.allSettled(Object.values(rooms).map((load) => load()))
}
