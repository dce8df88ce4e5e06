import type { Definition } from '@/components/editor/model/draft/draft'
import { rounded, whole, type Position } from '@/components/editor/model/flow'
import type { Box, Size } from '@/components/graph/model/boxes'
import { isPosition } from '@/components/graph/model/layout'
import { isRecord } from '@/core/pipeline/json'

/** Sticky notes of a definition: texts on the canvas that no run knows. A note around nodes is a frame that takes them along. Pure. */

export type Note = Box & { readonly id: string; readonly text: string; readonly color: NoteColor }

export const noteColors = ['sand', 'blue', 'green', 'violet'] as const
export type NoteColor = (typeof noteColors)[number]

const USUAL: Size = { width: 224, height: 128 }
export const LEAST: Size = { width: 96, height: 56 }
const LARGEST = 100_000

const isColor = (value: unknown): value is NoteColor => (noteColors as readonly unknown[]).includes(value)
const sideOf = (value: unknown, least: number, usual: number): number =>
  typeof value === 'number' && !Number.isNaN(value) ? Math.min(LARGEST, Math.max(least, value)) : usual

const listOf = ({ notes }: Definition): readonly unknown[] => (Array.isArray(notes) ? notes : [])

const isNote = (value: unknown): value is { readonly [field: string]: unknown; readonly id: string } =>
  isRecord(value) && typeof value['id'] === 'string' && isPosition(value)

/** The notes that can be drawn: those with an id and a place, the first of each id. */
export function notesOf(definition: Definition): readonly Note[] {
  const notes = new Map<string, Note>()
  for (const member of listOf(definition)) {
    if (!isNote(member) || notes.has(member.id)) continue
    notes.set(member.id, {
      id: member.id,
      text: typeof member['text'] === 'string' ? member['text'] : '',
      x: Number(member['x']),
      y: Number(member['y']),
      width: sideOf(member['width'], LEAST.width, USUAL.width),
      height: sideOf(member['height'], LEAST.height, USUAL.height),
      color: isColor(member['color']) ? member['color'] : 'sand',
    })
  }
  return [...notes.values()]
}

/** An id that no note has yet. */
export function freshNoteId(definition: Definition): string {
  const taken = new Set(listOf(definition).map((note) => (isRecord(note) ? note['id'] : undefined)))
  let number = 1
  while (taken.has(`note_${number}`)) number += 1
  return `note_${number}`
}

export function withNote(definition: Definition, at: Position, size: Size = USUAL, text = ''): Definition {
  const note = { id: freshNoteId(definition), text, ...whole(at), ...size }
  return { ...definition, notes: [...listOf(definition), note] }
}

/** Fields of a note; the same definition when there is no such note or nothing changes. */
export function changedNote(
  definition: Definition,
  id: string,
  fields: Partial<Omit<Note, 'id'>>,
): Definition {
  const list = listOf(definition)
  const at = list.findIndex((note) => isNote(note) && note.id === id)
  if (at < 0) return definition
  const old = list[at] as { readonly [field: string]: unknown }
  const next = Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [
      field,
      typeof value === 'number' ? rounded(value) : value,
    ]),
  )
  if (Object.entries(next).every(([field, value]) => old[field] === value)) return definition
  return { ...definition, notes: list.with(at, { ...old, ...next }) }
}

export function withoutNotes(definition: Definition, ids: ReadonlySet<string>): Definition {
  const list = listOf(definition)
  const notes = list.filter(
    (note) => !(isRecord(note) && typeof note['id'] === 'string' && ids.has(note['id'])),
  )
  if (notes.length === list.length) return definition
  const { notes: _notes, ...rest } = definition
  return notes.length === 0 ? rest : { ...definition, notes }
}

/** Whether a box lies wholly in another. */
export const within = (inner: Box, outer: Box): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height
