'use client'

import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { Maximize2, Minimize2, Plus, X } from 'lucide-react'
import { useDeferredValue, useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { remove } from '@/components/editor/model/actions'
import { useDraft, useEditor, useView } from '@/components/editor/editor-context'
import { nodesOf } from '@/components/editor/model/flow'
import { Inspector } from '@/components/editor/node/inspector'
import type { Problem } from '@/components/editor/model/problems/problem-list'
import { onlyNode } from '@/components/editor/model/view'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import {
  eventsFor,
  lookAt,
  rename,
  reorder,
  setStart,
  waitFor,
  type Told,
} from '@/components/editor/model/outline/outline-actions'
import { COLUMNS, NODE, OutlineLine, STARTS, tracks, type Editing } from './outline-line'
import { outlineRows, rowFor } from '@/components/editor/model/outline/outline-rows'
import { WaitFor } from './wait-for'

const ROW = 36
const PAGE = 10
/** Letters that follow each other more slowly are a new word. */
const PAUSE_MS = 800

const HELP =
  'Arrow keys go from cell to cell, Enter opens a node, F2 changes its name or its start in place, Space lets it wait for another, ' +
  'N adds a node after it, Delete takes it away, Alt with up or down moves it, letters find it.'

/** The pipeline as a table: a second way to do everything, made for the keyboard and for screen readers. */
export function Outline({ problems }: { problems: readonly Problem[] }) {
  const stores = useEditor()
  const { view } = stores
  const prefix = useId()
  const present = useDraft((draft) => draft.definition)
  const deferred = useDeferredValue(present)
  const selection = useView((state) => state.selection)
  const looked = useView(onlyNode)
  // A node that was only just added is looked at already: keys that follow at once would do to another row what is meant for it.
  const isBehind = looked !== null && !nodesOf(deferred).some(({ id }) => id === looked)
  const definition = isBehind ? present : deferred
  const rows = useMemo(() => outlineRows(definition), [definition])
  const found = useMemo(() => byNode(problems), [problems])
  const [column, setColumn] = useState(NODE)
  const [editing, setEditing] = useState<Editing | null>(null)
  const [form, setForm] = useState(false)
  const [waiting, setWaiting] = useState(false)
  const [wide, setWide] = useState(false)
  const [told, setTold] = useState<Told | null>(null)
  const grid = useRef<HTMLDivElement>(null)
  const typed = useRef({ letters: '', at: 0 })
  // Where nothing is selected, the row that was looked at last, or the one that took its place.
  const last = useRef(0)

  const chosen = looked === null ? -1 : rows.findIndex(({ id }) => id === looked)
  if (chosen >= 0) last.current = chosen
  const active = Math.min(last.current, rows.length - 1)
  const row = rows[active]

  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => grid.current,
    estimateSize: () => ROW,
    overscan: 8,
    scrollPaddingStart: ROW,
    // The row that has the focus must be there to be read out, wherever one has scrolled to.
    rangeExtractor: (range) =>
      active < 0 ? [] : [...new Set([...defaultRangeExtractor(range), active])].toSorted((a, b) => a - b),
  })

  useEffect(() => {
    grid.current?.focus()
  }, [])
  useEffect(() => {
    if (active >= 0) virtual.scrollToIndex(active)
  }, [active, virtual])
  const cellId = (index: number) => (at: number) => `${prefix}-${index}-${at}`
  const cell = row === undefined ? `${prefix}-none` : cellId(active)(column)
  useEffect(() => {
    document.getElementById(cell)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [cell])

  const go = (to: number) => {
    const next = rows[Math.max(0, Math.min(to, rows.length - 1))]
    if (next !== undefined) lookAt(stores, next.id)
  }
  const choose = (id: string, at: number) => {
    lookAt(stores, id)
    setColumn(at)
  }
  const closeForm = () => {
    setForm(false)
    grid.current?.focus()
  }
  const takeAway = () => {
    if (row === undefined) return
    const beside = rows[active + 1] ?? rows[active - 1]
    const refused = remove(stores, new Set([row.id]), new Set())
    setTold({ text: refused ?? `${row.id} was deleted. Ctrl+Z brings it back.`, refused: refused !== null })
    if (refused === null && beside !== undefined) lookAt(stores, beside.id)
  }
  const edit = (field: Editing) => {
    setColumn(field === 'name' ? NODE : STARTS)
    setEditing(field)
  }

  /** What a key does here; undefined: it is not for the grid. */
  const keys = (event: KeyboardEvent): (() => void) | undefined => {
    const { key, altKey, ctrlKey, metaKey } = event
    const command = ctrlKey || metaKey
    if (key === 'Insert' || (row === undefined && key === 'Enter'))
      return () => view.setState({ adding: true })
    if (row === undefined) return undefined
    if (altKey) {
      if (key !== 'ArrowUp' && key !== 'ArrowDown') return undefined
      return () => setTold(reorder(stores, row.id, key === 'ArrowUp' ? -1 : 1))
    }
    switch (key) {
      case 'ArrowDown':
        return () => go(chosen < 0 ? active : active + 1)
      case 'ArrowUp':
        return () => go(active - 1)
      case 'PageDown':
        return () => go(active + PAGE)
      case 'PageUp':
        return () => go(active - PAGE)
      case 'ArrowRight':
        return () => setColumn(Math.min(column + 1, COLUMNS.length - 1))
      case 'ArrowLeft':
        return () => setColumn(Math.max(column - 1, 0))
      case 'Home':
        return command ? () => go(0) : () => setColumn(0)
      case 'End':
        return command ? () => go(rows.length - 1) : () => setColumn(COLUMNS.length - 1)
      case 'F2':
        return () => edit(column === STARTS ? 'startWhen' : 'name')
      case 'Delete':
      case 'Backspace':
        return takeAway
    }
    if (command) return undefined
    if (key === 'Enter')
      return () => {
        lookAt(stores, row.id)
        setForm(true)
      }
    if (key === ' ') return () => setWaiting(true)
    return /^[\p{L}\p{N}_]$/u.test(key) ? letter(key, event.timeStamp) : undefined
  }

  /** N, O and what is typed with Shift begin no word: they are the editor's. */
  const letter = (key: string, now: number): (() => void) | undefined => {
    const going = now - typed.current.at <= PAUSE_MS ? typed.current.letters : ''
    if (going === '' && (/^[no]$/.test(key) || /^\p{Lu}$/u.test(key))) return undefined
    return () => {
      typed.current = { letters: going + key, at: now }
      const next = rowFor(rows, going + key, going === '' ? active + 1 : active)
      if (next !== null) lookAt(stores, next.id)
    }
  }

  const press = (event: KeyboardEvent) => {
    if (event.target !== grid.current) return
    const act = keys(event)
    if (act === undefined) return
    event.preventDefault()
    // The editor's own keys, which stand on the window, are not asked as well.
    event.stopPropagation()
    act()
  }

  return (
    <section
      aria-label="Outline"
      className={cn(
        // What is deleted here is not deleted by the canvas once more.
        'nokey absolute inset-0 z-10 flex flex-col border-l border-line bg-surface',
        !wide && 'lg:relative lg:inset-auto lg:w-[min(760px,60%)] lg:shrink-0',
      )}
    >
      <div className="flex items-center gap-1 border-b border-line py-1 pr-2 pl-4">
        <h2 className="text-sm font-semibold">Outline</h2>
        <span className="ml-2 text-xs text-faint">
          {rows.length === 1 ? '1 node' : `${rows.length} nodes`}
        </span>
        <Button tone="quiet" size="small" className="ml-auto" onClick={() => view.setState({ adding: true })}>
          <Plus aria-hidden /> Add
        </Button>
        <Button
          tone="quiet"
          size="icon"
          className="hidden lg:inline-flex"
          aria-label={wide ? 'Show the canvas beside the outline' : 'Hide the canvas'}
          onClick={() => setWide(!wide)}
        >
          {wide ? <Minimize2 aria-hidden /> : <Maximize2 aria-hidden />}
        </Button>
        <Button
          tone="quiet"
          size="icon"
          aria-label="Close the outline"
          onClick={() => view.setState({ panel: 'node' })}
        >
          <X aria-hidden />
        </Button>
      </div>
      <div
        ref={grid}
        role="treegrid"
        tabIndex={0}
        aria-label="Nodes of the pipeline"
        aria-describedby={`${prefix}-help`}
        aria-rowcount={rows.length + 1}
        aria-colcount={COLUMNS.length}
        aria-activedescendant={cell}
        onKeyDown={press}
        className="group/grid min-h-0 flex-1 scroll-pt-9 overflow-auto outline-none"
      >
        <div role="rowgroup" className="sticky top-0 z-10">
          <div
            role="row"
            aria-rowindex={1}
            className={cn('h-9 border-b border-line bg-surface text-xs text-faint', tracks)}
          >
            {COLUMNS.map((title, at) => (
              <div key={title} role="columnheader" aria-colindex={at + 1} className="flex items-center px-3">
                {title}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" className="relative min-w-[700px]" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const each = rows[index]
            if (each === undefined) return null
            return (
              <div key={each.id} role="presentation" className="absolute inset-x-0" style={{ top: start }}>
                <OutlineLine
                  row={each}
                  index={index}
                  cellId={cellId(index)}
                  active={index === active ? column : null}
                  selected={selection.nodes.has(each.id)}
                  editing={index === active ? editing : null}
                  problems={found.get(each.id) ?? []}
                  on={{
                    choose: (at) => choose(each.id, at),
                    edit,
                    end: (field, text, back) => {
                      setEditing(null)
                      if (text !== null)
                        setTold((field === 'name' ? rename : setStart)(stores, each.id, text))
                      if (back) grid.current?.focus()
                    },
                    waitFor: () => {
                      choose(each.id, STARTS)
                      setWaiting(true)
                    },
                  }}
                />
              </div>
            )
          })}
        </div>
        {row === undefined && (
          <div role="rowgroup">
            <div role="row">
              <div
                id={`${prefix}-none`}
                role="gridcell"
                aria-colspan={COLUMNS.length}
                className="px-4 py-6 text-muted"
              >
                No nodes yet. Press N or Enter to add the first.
              </div>
            </div>
          </div>
        )}
      </div>
      <p className="border-t border-line px-4 py-1.5 text-xs">
        <span
          role="status"
          aria-label="What the outline did"
          className={told?.refused ? 'text-danger' : 'text-muted'}
        >
          {told?.text}
        </span>
        <span id={`${prefix}-help`} className={cn('text-faint', told !== null && 'sr-only')}>
          {HELP}
        </span>
      </p>
      {form && looked !== null && (
        <div
          role="region"
          aria-label={`Node ${looked}`}
          ref={focusFirst}
          onKeyDown={(event) => {
            const own = event.currentTarget.contains(event.target as Node)
            if (event.key === 'Escape' && own && !event.defaultPrevented) closeForm()
          }}
          className="absolute inset-y-0 right-0 z-20 w-full overflow-y-auto border-l border-line bg-surface shadow-raised sm:w-[360px]"
        >
          <Inspector id={looked} problems={problems} onClose={closeForm} />
        </div>
      )}
      {waiting && row !== undefined && (
        <WaitFor
          node={row.id}
          choices={eventsFor(stores, row.id)}
          onClose={() => setWaiting(false)}
          onTake={(event) => setTold(waitFor(stores, row.id, event))}
        />
      )}
    </section>
  )
}

function byNode(problems: readonly Problem[]): ReadonlyMap<string, readonly Problem[]> {
  const found = new Map<string, Problem[]>()
  for (const problem of problems) {
    if (problem.node === null) continue
    const others = found.get(problem.node)
    if (others === undefined) found.set(problem.node, [problem])
    else others.push(problem)
  }
  return found
}

/** A form that opens takes the focus in its first field. */
function focusFirst(form: HTMLElement | null): void {
  form?.querySelector<HTMLElement>('input, textarea, select')?.focus()
}
