'use client'

import { NodeResizer, type Node, type NodeProps } from '@xyflow/react'
import { memo, useEffect, useRef } from 'react'
import { useEditor, useView } from '@/components/editor/editor-context'
import { report } from '@/components/editor/report'
import { cn } from '@/components/ui/class-names'
import { changeNote } from '@/components/editor/model/canvas/note-actions'
import { LEAST, noteColors, type Note, type NoteColor } from '@/components/editor/model/canvas/notes'

export type NoteNode = Node<{ readonly note: Note; readonly alone: boolean }, 'note'>

const tints: Record<NoteColor, string> = {
  sand: 'bg-(--tint-gate) text-(--tint-gate-ink) border-(--tint-gate-ink)/30',
  blue: 'bg-(--tint-data) text-(--tint-data-ink) border-(--tint-data-ink)/30',
  green: 'bg-(--tint-chart) text-(--tint-chart-ink) border-(--tint-chart-ink)/30',
  violet: 'bg-(--tint-code) text-(--tint-code-ink) border-(--tint-code-ink)/30',
}

/** A sticky note: moved, drawn larger at its corners, typed into by a double-click or F2. */
export const NoteCard = memo(function NoteCard({ data: { note, alone }, selected }: NodeProps<NoteNode>) {
  const stores = useEditor()
  const typing = useView((view) => view.typing?.kind === 'note' && view.typing.id === note.id)
  return (
    <div
      data-note={note.id}
      className={cn(
        'h-full w-full overflow-hidden rounded-lg border p-3 text-sm',
        tints[note.color],
        selected && 'ring-2 ring-accent',
      )}
    >
      <NodeResizer
        isVisible={selected && alone}
        minWidth={LEAST.width}
        minHeight={LEAST.height}
        lineClassName="!border-transparent"
        handleClassName="!size-2.5 !rounded-sm !border-accent !bg-surface"
        onResizeEnd={(_event, { x, y, width, height }) =>
          report(changeNote(stores, note.id, { x, y, width, height }, 'Resize a note'))
        }
      />
      {typing ? (
        <NoteText note={note} />
      ) : (
        <p className="h-full overflow-hidden break-words whitespace-pre-wrap">
          {note.text === '' ? <span className="opacity-70">Empty note</span> : note.text}
        </p>
      )}
      {selected && alone && !typing && (
        <span className="nodrag absolute -top-9 left-0 flex gap-1 rounded-md border border-line bg-surface p-1 shadow-raised">
          {noteColors.map((color) => (
            <button
              key={color}
              type="button"
              aria-label={`Colour ${color}`}
              aria-pressed={note.color === color}
              onClick={() => report(changeNote(stores, note.id, { color }, 'Colour a note'))}
              className={cn(
                'size-5 rounded-sm border aria-pressed:ring-2 aria-pressed:ring-accent',
                tints[color],
              )}
            />
          ))}
        </span>
      )}
    </div>
  )
})

/** The text while it is typed: one step of the history when it is left; Escape leaves it too. */
function NoteText({ note }: { note: Note }) {
  const stores = useEditor()
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [])
  return (
    <textarea
      ref={field}
      aria-label="Text of the note"
      defaultValue={note.text}
      maxLength={10_000}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Escape') event.currentTarget.blur()
      }}
      onBlur={(event) => {
        stores.view.setState({ typing: null })
        report(changeNote(stores, note.id, { text: event.currentTarget.value }, 'Write a note'))
      }}
      className="nodrag nopan nowheel h-full w-full resize-none bg-transparent outline-none"
    />
  )
}
