'use client'

import { useDeferredValue, useMemo, useRef, useState, type RefObject } from 'react'
import { useDraft, useEditor, useView } from '@/components/editor/editor-context'
import { remove } from '@/components/editor/model/actions'
import { nodesOf } from '@/components/editor/model/flow'
import {
  lookAt,
  rename,
  reorder,
  setStart,
  waitFor,
  type ActionReport,
} from '@/components/editor/model/outline/outline-actions'
import {
  columnOf,
  createOutlineKeys,
  NODE_COLUMN,
  STARTS_COLUMN,
  type CellField,
  type OutlineCommand,
} from '@/components/editor/model/outline/outline-keys'
import { outlineRows } from '@/components/editor/model/outline/outline-rows'
import { onlyNode } from '@/components/editor/model/view'

/** The rows of the outline. They are updated when the browser has time, except for a node that was just added. */
function useRows() {
  const present = useDraft((draft) => draft.definition)
  const deferred = useDeferredValue(present)
  const selected = useView(onlyNode)
  // Keys that follow at once must not act on another row than the selected node.
  const isBehind = selected !== null && !nodesOf(deferred).some(({ id }) => id === selected)
  const definition = isBehind ? present : deferred
  return useMemo(() => outlineRows(definition), [definition])
}

/** The state of the outline and what can be done in it. `grid` gets the focus back when a field or a form closes. */
export function useOutline(grid: RefObject<HTMLElement | null>) {
  const stores = useEditor()
  const rows = useRows()
  const selected = useView(onlyNode)
  const [column, setColumn] = useState(NODE_COLUMN)
  const [editing, setEditing] = useState<CellField | null>(null)
  const [form, setForm] = useState(false)
  const [waiting, setWaiting] = useState(false)
  const [report, setReport] = useState<ActionReport | null>(null)
  const [keys] = useState(createOutlineKeys)
  // Without a selection the active row is the last selected one, or the row that is at its index now.
  const last = useRef(0)
  const at = selected === null ? -1 : rows.findIndex(({ id }) => id === selected)
  if (at >= 0) last.current = at
  const active = Math.min(last.current, rows.length - 1)
  const row = rows[active]

  function choose(id: string, to: number): void {
    lookAt(stores, id)
    setColumn(to)
  }
  function edit(field: CellField): void {
    setColumn(columnOf(field))
    setEditing(field)
  }
  function endEdit(id: string, [field, text]: readonly [CellField, string | null], back: boolean): void {
    setEditing(null)
    if (text !== null) setReport((field === 'name' ? rename : setStart)(stores, id, text))
    if (back) grid.current?.focus()
  }
  function removeRow(id: string): void {
    const beside = rows[active + 1] ?? rows[active - 1]
    const refused = remove(stores, new Set([id]), new Set())
    setReport({ text: refused ?? `${id} was deleted. Ctrl+Z brings it back.`, refused: refused !== null })
    if (refused === null && beside !== undefined) lookAt(stores, beside.id)
  }

  function run(command: OutlineCommand): void {
    switch (command.kind) {
      case 'none':
        return
      case 'add':
        return stores.view.setState({ adding: true })
      case 'column':
        return setColumn(command.to)
      case 'row': {
        const next = rows[command.to]
        if (next !== undefined) lookAt(stores, next.id)
        return
      }
    }
    if (row === undefined) return
    switch (command.kind) {
      case 'edit':
        return edit(command.field)
      case 'reorder':
        return setReport(reorder(stores, row.id, command.by))
      case 'delete':
        return removeRow(row.id)
      case 'open':
        lookAt(stores, row.id)
        return setForm(true)
      case 'wait':
        return setWaiting(true)
    }
  }

  return {
    rows,
    row,
    active,
    column,
    editing,
    report,
    /** The node whose form is open; null: none. */
    form: form ? selected : null,
    waiting,
    keys,
    position: { rows, active, selected: at >= 0, column },
    run,
    choose,
    edit,
    endEdit,
    closeForm() {
      setForm(false)
      grid.current?.focus()
    },
    askToWait(id: string) {
      choose(id, STARTS_COLUMN)
      setWaiting(true)
    },
    stopWaiting: () => setWaiting(false),
    wait: (id: string, event: string) => setReport(waitFor(stores, id, event)),
  }
}

export type OutlineState = ReturnType<typeof useOutline>
