'use client'

import { Radio, X } from 'lucide-react'
import { useEffect, useMemo, useRef, useState, type PointerEvent } from 'react'
import { add, type Choice } from '@/components/editor/model/actions'
import { useEditor, useView } from '@/components/editor/editor-context'
import { findEntries, paletteHints, type PaletteEntry } from '@/components/editor/model/canvas/palette'
import { Marked } from '@/components/editor/form/field-frame'
import { report } from '@/components/editor/report'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import { Input } from '@/components/ui/field'
import { TaskIcon } from '@/components/ui/task-icon'

/** The tasks: searched, chosen by Enter or a click, or dragged onto the canvas. */
export function PaletteEntries() {
  const stores = useEditor()
  const [asked, setAsked] = useState('')
  const [at, setAt] = useState(0)
  const [naming, setNaming] = useState<PaletteEntry | null>(null)
  useFocusBack()
  const words = useMemo(() => asked.toLowerCase().split(/\s+/).filter(Boolean), [asked])
  const hints = paletteHints(words)
  const found = useMemo(() => findEntries(words), [words])
  const marked = Math.min(at, Math.max(0, found.length - 1))
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    list.current?.children[marked]?.scrollIntoView({ block: 'nearest' })
  }, [marked])

  function take(entry: PaletteEntry | undefined): void {
    if (entry === undefined) return
    if ('ask' in entry.choice) setNaming(entry)
    else report(add(stores, entry.choice, stores.view.getState().placing ?? {}))
  }

  if (naming !== null && 'ask' in naming.choice)
    return (
      <NameOf
        entry={naming}
        ask={naming.choice}
        onDone={(choice) => {
          if (choice === null) setNaming(null)
          else report(add(stores, choice, stores.view.getState().placing ?? {}))
        }}
      />
    )
  return (
    <>
      <PaletteHeading />
      <div className="px-4">
        <Input
          autoFocus
          aria-controls="palette-entries"
          aria-activedescendant={found[marked] === undefined ? undefined : `palette-${found[marked].key}`}
          value={asked}
          onChange={(event) => {
            setAsked(event.target.value)
            setAt(0)
          }}
          onKeyDown={(event) => {
            const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
            if (by !== 0) {
              event.preventDefault()
              setAt(Math.max(0, Math.min(found.length - 1, marked + by)))
            } else if (event.key === 'Enter') {
              event.preventDefault()
              take(found[marked])
            }
          }}
          placeholder="Search for a task"
          aria-label="Search for a task"
        />
        <p className="pt-1.5 text-xs text-faint">
          Press Enter to add it, or drag it onto the canvas or an edge.
        </p>
      </div>
      {found.length === 0 && hints.length === 0 && (
        <p className="px-4 pt-3 text-sm text-muted">No task found.</p>
      )}
      <div role="status" className="flex flex-col gap-2 px-4 pt-3 text-sm text-muted empty:hidden">
        {hints.map(({ text }) => (
          <p key={text}>{text}</p>
        ))}
      </div>
      <ul
        ref={list}
        id="palette-entries"
        role="listbox"
        // A list that scrolls must be focusable, so that keys can scroll it.
        tabIndex={0}
        aria-label="Tasks"
        className="mt-2 flex min-h-0 flex-1 flex-col overflow-y-auto px-2 pb-3"
      >
        {found.map((entry, index) => (
          <Draggable key={entry.key} entry={entry} marked={index === marked} onTake={() => take(entry)} />
        ))}
      </ul>
    </>
  )
}

function PaletteHeading() {
  const { view } = useEditor()
  const placing = useView((state) => state.placing)
  return (
    <div className="flex items-center gap-2 px-4 pt-3 pb-2">
      <h2 className="text-sm font-semibold">Add a node</h2>
      <span className="truncate text-xs text-faint">
        {placing?.after !== undefined
          ? `after ${placing.after}`
          : placing?.before !== undefined
            ? `before ${placing.before}`
            : ''}
      </span>
      <Button
        tone="quiet"
        size="icon"
        className="ml-auto"
        aria-label="Close"
        onClick={() => view.setState({ adding: false, placing: null })}
      >
        <X aria-hidden />
      </Button>
    </div>
  )
}

/** Returns the focus to where it was before, unless it has moved elsewhere. */
function useFocusBack(): void {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus()
    },
    [before],
  )
}

const EntryIcon = ({ entry }: { entry: PaletteEntry }) =>
  entry.key === 'event' ? (
    <span className="grid size-8 shrink-0 place-items-center rounded-md bg-(--tint-gate) text-(--tint-gate-ink)">
      <Radio aria-hidden className="size-4" />
    </span>
  ) : (
    <TaskIcon task={entry.key} />
  )

/** Pixels from which a press is a drag and not a click. */
const DRAG_DISTANCE = 5

/** An entry that can be clicked, or dragged with a mouse or a pen; a finger scrolls the list. */
function Draggable({ entry, marked, onTake }: { entry: PaletteEntry; marked: boolean; onTake: () => void }) {
  const stores = useEditor()
  const ghost = useRef<HTMLSpanElement>(null)
  const from = useRef<{ x: number; y: number } | null>(null)
  const [dragging, setDragging] = useState(false)
  // The click at the end of a drag chooses nothing.
  const wasDragged = useRef(false)
  const choice = 'ask' in entry.choice ? null : entry.choice

  function move(event: PointerEvent): void {
    const start = from.current
    if (start === null || choice === null) return
    if (!dragging && Math.hypot(event.clientX - start.x, event.clientY - start.y) < DRAG_DISTANCE) return
    wasDragged.current = true
    if (!dragging) setDragging(true)
    if (ghost.current !== null)
      ghost.current.style.transform = `translate(${event.clientX - 24}px, ${event.clientY - 24}px)`
    stores.view.setState({ dropEdge: over(event)?.edge ?? null })
  }
  function drop(event: PointerEvent): void {
    from.current = null
    if (!dragging || choice === null) return
    setDragging(false)
    stores.view.setState({ dropEdge: null })
    const place = over(event)
    if (place === null) return
    const at = { x: place.position.x - 112, y: place.position.y - 30 }
    report(add(stores, choice, { at, into: place.edge }))
  }
  /** The position on the canvas; null: the pointer is over the palette or outside. */
  function over({ clientX, clientY, currentTarget }: PointerEvent) {
    const palette = currentTarget.closest('[role="dialog"]')?.getBoundingClientRect()
    if (palette !== undefined && clientX < palette.right) return null
    return stores.view.canvas()?.at({ x: clientX, y: clientY }) ?? null
  }

  return (
    <li
      id={`palette-${entry.key}`}
      role="option"
      aria-selected={marked}
      className="cursor-grab touch-pan-y select-none"
      onClick={() => {
        if (!wasDragged.current) onTake()
      }}
      onPointerDown={(event) => {
        if (event.pointerType === 'touch' || event.button !== 0) return
        from.current = { x: event.clientX, y: event.clientY }
        wasDragged.current = false
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={move}
      onPointerUp={drop}
      onPointerCancel={() => {
        from.current = null
        setDragging(false)
        stores.view.setState({ dropEdge: null })
      }}
    >
      <EntryRow entry={entry} marked={marked} />
      {dragging && (
        <span
          ref={ghost}
          aria-hidden
          className="pointer-events-none fixed top-0 left-0 z-50 flex items-center gap-2 rounded-lg border border-accent bg-surface py-2 pr-4 pl-2 text-sm font-semibold opacity-90 shadow-raised"
        >
          <EntryIcon entry={entry} />
          {entry.title}
        </span>
      )}
    </li>
  )
}

function EntryRow({ entry, marked }: { entry: PaletteEntry; marked: boolean }) {
  return (
    <span
      className={cn(
        'flex w-full items-start gap-3 rounded-md px-2 py-2 text-left hover:bg-sunken',
        marked && 'bg-accent-soft hover:bg-accent-soft',
      )}
    >
      <EntryIcon entry={entry} />
      <span className="min-w-0">
        <span className="block text-sm font-medium">
          {entry.title} <code className="text-xs font-normal text-faint">{entry.type}</code>
        </span>
        <span className="block text-xs text-muted">
          <Marked text={entry.description} />
        </span>
      </span>
    </span>
  )
}

function NameOf({
  entry,
  ask,
  onDone,
}: {
  entry: PaletteEntry
  ask: Exclude<PaletteEntry['choice'], Choice>
  onDone: (choice: Choice | null) => void
}) {
  const [name, setName] = useState('')
  const [tried, setTried] = useState(false)
  const wrong = tried && !ask.pattern.test(name.trim())
  return (
    <form
      className="flex flex-col gap-3 p-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (ask.pattern.test(name.trim())) onDone(ask.with(name.trim()))
        else setTried(true)
      }}
    >
      <h2 className="text-sm font-semibold">{entry.title}</h2>
      <p className="text-xs text-muted">{entry.description}</p>
      <label className="flex flex-col gap-1 text-sm font-medium">
        {ask.ask}
        <Input
          autoFocus
          value={name}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={wrong}
          className="font-mono"
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      {wrong && (
        <p role="alert" className="text-xs font-medium text-danger">
          A name starts with a lowercase letter and has lowercase letters, digits and _, such as data_ready.
        </p>
      )}
      <div className="flex gap-2">
        <Button type="submit">Add</Button>
        <Button tone="quiet" onClick={() => onDone(null)}>
          Back
        </Button>
      </div>
    </form>
  )
}
