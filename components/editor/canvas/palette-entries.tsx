'use client'

import { Radio, X } from 'lucide-react'
import { useEffect, useMemo, useRef, useState, type PointerEvent, type ReactNode } from 'react'
import { add, type Choice } from '@/components/editor/actions'
import { useEditor, useView } from '@/components/editor/editor-context'
import { Marked } from '@/components/editor/form/field-frame'
import { tell } from '@/components/editor/tell'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import { Input } from '@/components/ui/field'
import { TaskIcon } from '@/components/ui/task-icon'
import { taskCatalog } from '@/tasks/contracts'

type Entry = {
  readonly key: string
  readonly title: string
  readonly type: string
  readonly description: string
  readonly text: string
  /** What it becomes; a function where a name is asked for first. */
  readonly choice:
    Choice | { readonly ask: string; readonly with: (name: string) => Choice; readonly pattern: RegExp }
}

const entries: readonly Entry[] = [
  ...[...taskCatalog.values()].map(({ type, title, description, category, keywords = '' }) => ({
    key: type,
    title,
    type,
    description,
    text: `${type} ${title} ${description} ${category} ${keywords}`.toLowerCase(),
    choice: { kind: 'task' as const, task: type },
  })),
  {
    key: 'pipeline',
    title: 'Run another pipeline',
    type: 'pipeline',
    description: 'Runs a pipeline of its own as one node, with inputs and outputs.',
    text: 'pipeline run another pipeline sub-pipeline child nested',
    choice: {
      ask: 'Id of the pipeline',
      with: (pipeline) => ({ kind: 'pipeline', pipeline }),
      pattern: /^[a-z][a-z0-9_]*$/,
    },
  },
  {
    key: 'event',
    title: 'Wait for an event from outside',
    type: 'external event',
    description: 'Goes on when somebody, or another system, publishes the event to the run.',
    text: 'wait for an event from outside external webhook signal message',
    choice: {
      ask: 'Name of the event',
      with: (event) => ({ kind: 'event', event }),
      pattern: /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$/,
    },
  },
]

/** What other tools have a node for and here is part of every node: the words by which it is looked for, and where it is found. */
const parts: readonly { readonly words: readonly string[]; readonly text: string }[] = [
  {
    words: ['if', 'condition', 'branch', 'switch', 'decide', 'decision'],
    text: 'A branch needs no node of its own: choose the node that runs only if something holds, and write that under “Starts when”.',
  },
  {
    words: ['loop', 'foreach', 'each', 'map', 'iterate', 'list', 'parallel', 'fan'],
    text: 'Any node can run once for each item of a list: choose it and open “For each item”.',
  },
  {
    words: ['handle', 'handler', 'error', 'catch', 'failure', 'fallback'],
    text: 'What handles a failure is a node like any other: draw an edge to it from “failed” of the node that may fail.',
  },
  {
    words: ['retry', 'retries', 'timeout'],
    text: 'Each node says itself how often it is tried and how long it may take: choose it.',
  },
  {
    words: ['trigger', 'schedule', 'cron', 'webhook', 'start'],
    text: 'What starts the pipeline is said in its own form: Shift+P.',
  },
]

/** The parts that the words may mean; a word counts from its second letter on. */
const partsFor = (asked: readonly string[]) =>
  parts.filter(({ words }) =>
    asked.some((word) => word.length > 1 && words.some((known) => known.startsWith(word))),
  )

/** The tasks, and how one of them is found, chosen or carried. */
export function PaletteEntries() {
  const stores = useEditor()
  const placing = useView((state) => state.placing)
  const [asked, setAsked] = useState('')
  const [at, setAt] = useState(0)
  const [naming, setNaming] = useState<Entry | null>(null)
  useFocusBack()
  const words = useMemo(() => asked.toLowerCase().split(/\s+/).filter(Boolean), [asked])
  const meant = partsFor(words)
  const found = useMemo(() => {
    const fitting = entries.filter(({ text }) => words.every((word) => text.includes(word)))
    const called = ({ title, type }: Entry) =>
      words.every((word) => `${type} ${title}`.toLowerCase().includes(word))
    // What is called like that comes before what only speaks of it.
    return [...fitting.filter(called), ...fitting.filter((entry) => !called(entry))]
  }, [words])
  const marked = Math.min(at, Math.max(0, found.length - 1))
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    list.current?.children[marked]?.scrollIntoView({ block: 'nearest' })
  }, [marked])

  function take(entry: Entry | undefined): void {
    if (entry === undefined) return
    if ('ask' in entry.choice) setNaming(entry)
    else tell(add(stores, entry.choice, stores.view.getState().placing ?? {}))
  }

  if (naming !== null && 'ask' in naming.choice)
    return (
      <NameOf
        entry={naming}
        ask={naming.choice}
        onDone={(choice) => {
          if (choice === null) setNaming(null)
          else tell(add(stores, choice, stores.view.getState().placing ?? {}))
        }}
      />
    )
  return (
    <>
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
          onClick={() => stores.view.setState({ adding: false, placing: null })}
        >
          <X aria-hidden />
        </Button>
      </div>
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
        <p className="pt-1.5 text-xs text-faint">Enter adds it; or drag it onto the canvas or an edge.</p>
      </div>
      {found.length === 0 && meant.length === 0 && (
        <p className="px-4 pt-3 text-sm text-muted">No task is called like that.</p>
      )}
      <div role="status" className="flex flex-col gap-2 px-4 pt-3 text-sm text-muted empty:hidden">
        {meant.map(({ text }) => (
          <p key={text}>{text}</p>
        ))}
      </div>
      <ul
        ref={list}
        id="palette-entries"
        role="listbox"
        // It scrolls, and so it can be scrolled by keys.
        tabIndex={0}
        aria-label="Tasks"
        className="mt-2 flex min-h-0 flex-1 flex-col overflow-y-auto px-2 pb-3"
      >
        {found.map((entry, index) => (
          <Carried key={entry.key} entry={entry} marked={index === marked} onTake={() => take(entry)}>
            <span
              className={cn(
                'flex w-full items-start gap-3 rounded-md px-2 py-2 text-left hover:bg-sunken',
                index === marked && 'bg-accent-soft hover:bg-accent-soft',
              )}
            >
              <EntryIcon entry={entry} />
              <span className="min-w-0">
                <span className="block text-sm font-medium">
                  {entry.title} <code className="text-xs font-normal text-faint">{entry.type}</code>
                </span>
                <span className="line-clamp-2 text-xs text-muted">
                  <Marked text={entry.description} />
                </span>
              </span>
            </span>
          </Carried>
        ))}
      </ul>
    </>
  )
}

/** What had the keyboard before gets it back, unless it went elsewhere meanwhile. */
function useFocusBack(): void {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus()
    },
    [before],
  )
}

const EntryIcon = ({ entry }: { entry: Entry }) =>
  entry.key === 'event' ? (
    <span className="grid size-8 shrink-0 place-items-center rounded-md bg-(--tint-gate) text-(--tint-gate-ink)">
      <Radio aria-hidden className="size-4" />
    </span>
  ) : (
    <TaskIcon task={entry.key} />
  )

/** How far a press must be drawn to carry the entry instead of choosing it. */
const DRAWN = 5

/** An entry that can be pressed, or carried with a mouse or a pen; a finger scrolls the list. */
function Carried({
  entry,
  marked,
  onTake,
  children,
}: {
  entry: Entry
  marked: boolean
  onTake: () => void
  children: ReactNode
}) {
  const stores = useEditor()
  const ghost = useRef<HTMLSpanElement>(null)
  const from = useRef<{ x: number; y: number } | null>(null)
  const [carried, setCarried] = useState(false)
  // The click that ends a drag chooses nothing.
  const wasCarried = useRef(false)
  const choice = 'ask' in entry.choice ? null : entry.choice

  function move(event: PointerEvent): void {
    const start = from.current
    if (start === null || choice === null) return
    if (!carried && Math.hypot(event.clientX - start.x, event.clientY - start.y) < DRAWN) return
    wasCarried.current = true
    if (!carried) setCarried(true)
    if (ghost.current !== null)
      ghost.current.style.transform = `translate(${event.clientX - 24}px, ${event.clientY - 24}px)`
    stores.view.setState({ dropEdge: over(event)?.edge ?? null })
  }
  function drop(event: PointerEvent): void {
    from.current = null
    if (!carried || choice === null) return
    setCarried(false)
    stores.view.setState({ dropEdge: null })
    const place = over(event)
    if (place === null) return
    const at = { x: place.position.x - 112, y: place.position.y - 30 }
    tell(add(stores, choice, { at, into: place.edge }))
  }
  /** Where the pointer is on the canvas; null: it is over the palette, or outside. */
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
        if (!wasCarried.current) onTake()
      }}
      onPointerDown={(event) => {
        if (event.pointerType === 'touch' || event.button !== 0) return
        from.current = { x: event.clientX, y: event.clientY }
        wasCarried.current = false
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={move}
      onPointerUp={drop}
      onPointerCancel={() => {
        from.current = null
        setCarried(false)
        stores.view.setState({ dropEdge: null })
      }}
    >
      {children}
      {carried && (
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

function NameOf({
  entry,
  ask,
  onDone,
}: {
  entry: Entry
  ask: Exclude<Entry['choice'], Choice>
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
          A name begins with a small letter and has small letters, digits and _; for instance data_ready.
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
