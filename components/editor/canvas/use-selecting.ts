'use client'

import type { EdgeChange, NodeChange } from '@xyflow/react'
import { useMemo, type KeyboardEvent } from 'react'
import { flowOf, select, toggleGroup } from '@/components/editor/model/actions'
import { edgesBehind, nodesBehind } from '@/components/editor/model/canvas/flow-drawing'
import { isGroup } from '@/components/graph/model/fold'
import type { Tools } from '@/components/editor/commands'
import { useEditor } from '@/components/editor/editor-context'
import { focusForm } from '@/components/editor/node/focus-form'
import { selectionOf, type Selection } from '@/components/editor/model/view'
import type { WireEdge } from './canvas-edge'
import { noteOf, type Shown } from './use-drawn-graph'

type Change = NodeChange<Shown> | EdgeChange<WireEdge>

const sameSet = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((member) => b.has(member))

/** What is selected and opened, by pointer and by keyboard. */
export function useSelecting(tools: Tools) {
  const stores = useEditor()
  return useMemo(() => {
    /** Nodes and edges report one click one after the other, so each changes the current selection. */
    function choose(
      kindOf: (id: string) => keyof Selection,
      namesOf: (id: string) => readonly string[],
      changes: readonly Change[],
    ): void {
      const selects = changes.filter((change) => change.type === 'select')
      if (selects.length === 0) return
      stores.view.setState(({ selection: before }) => {
        const after = {
          nodes: new Set(before.nodes),
          edges: new Set(before.edges),
          notes: new Set(before.notes),
        }
        for (const { id, selected } of selects) {
          const chosen = after[kindOf(id)]
          for (const name of namesOf(id)) {
            if (selected) chosen.add(name)
            else chosen.delete(name)
          }
        }
        const same = (kind: keyof Selection) =>
          sameSet(after[kind], before[kind]) ? before[kind] : after[kind]
        return { selection: { nodes: same('nodes'), edges: same('edges'), notes: same('notes') } }
      })
    }

    /** The form of a node, with the keyboard in its first field. */
    function openForm(id: string): void {
      stores.view.setState({ selection: selectionOf(id), panel: 'node' })
      focusForm(`Node ${id}`)
    }

    /** What a card or a line stands for: several where it is that of a group. */
    const nodesOf = (key: string): readonly string[] => {
      const note = noteOf(key)
      return note === null ? nodesBehind(flowOf(stores), key) : [note]
    }
    const edgesOf = (line: string) => edgesBehind(flowOf(stores), line)
    const openGroup = (id: string) => toggleGroup(stores, id)

    const typeNote = (id: string) => stores.view.setState({ typing: { kind: 'note', id } })

    return {
      nodes: (changes: readonly NodeChange<Shown>[]) =>
        choose((id) => (noteOf(id) === null ? 'nodes' : 'notes'), nodesOf, changes),
      edges: (changes: readonly EdgeChange<WireEdge>[]) => choose(() => 'edges', edgesOf, changes),
      open: (event: { readonly ctrlKey: boolean; readonly metaKey: boolean }, node: Shown) => {
        if (node.type === 'note') typeNote(node.data.note.id)
        else if (node.type === 'group') openGroup(node.id)
        else if (node.type === 'card' && (event.ctrlKey || event.metaKey)) tools.enter(node.id)
        else if (node.type === 'card') openForm(node.id)
      },
      /** A menu is about what it was opened on. */
      forMenu: (_event: unknown, { id: key }: Shown) => {
        const note = noteOf(key)
        const { selection } = stores.view.getState()
        const nodes = note === null ? nodesOf(key) : []
        if (note === null ? nodes.every((id) => selection.nodes.has(id)) : selection.notes.has(note)) return
        select(stores, note === null ? { nodes: new Set(nodes) } : { notes: new Set([note]) })
      },
      edgeForMenu: (_event: unknown, { id }: WireEdge) => select(stores, { edges: new Set(edgesOf(id)) }),
      /** Enter and the space bar on what has the focus. */
      key: (event: KeyboardEvent) => {
        const { target } = event
        if (
          !(target instanceof HTMLElement) ||
          !/^(Enter| |F2)$/.test(event.key) ||
          event.ctrlKey ||
          event.metaKey
        )
          return
        const node = target.matches('.react-flow__node') ? target.dataset['id'] : undefined
        const edge = target.closest('.react-flow__edge')?.getAttribute('data-id')
        if (node !== undefined && noteOf(node) !== null) typeNote(noteOf(node) ?? '')
        else if (node !== undefined && event.key === 'Enter' && isGroup(node)) openGroup(node)
        else if (node !== undefined && event.key === 'Enter') openForm(node)
        else if (node !== undefined && event.key === ' ') select(stores, selectionOf(...nodesOf(node)))
        else if (edge != null && event.key !== 'F2') select(stores, { edges: new Set(edgesOf(edge)) })
        else return
        event.preventDefault()
      },
    }
  }, [stores, tools])
}
