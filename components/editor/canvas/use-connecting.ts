'use client'

import type { Connection, FinalConnectionState } from '@xyflow/react'
import { useMemo } from 'react'
import { editFlow, flowOf } from '@/components/editor/model/actions'
import { useEditor } from '@/components/editor/editor-context'
import type { EditorStores } from '@/components/editor/model/stores'
import { connectedAll, reconnected } from '@/components/editor/model/edits'
import { nodesBehind } from '@/components/editor/model/canvas/flow-drawing'
import { isGroup } from '@/components/graph/model/fold'
import { report } from '@/components/editor/report'
import { isExternal } from '@/core/pipeline/gate/event-type'
import type { WireEdge } from './canvas-edge'

/** The event of an edge from this handle. An external event is its own event. */
const eventOf = (source: string, handle: string | null | undefined): string =>
  isExternal(source) ? source : `${source}.${handle ?? 'completed'}`

/** Whether an edge may lead there: not to itself, and not into an event from outside. */
export const isConnection = ({ source, target }: { source: string; target: string }): boolean =>
  source !== target && !isExternal(target)

/** What happens when an edge is drawn, led elsewhere, or let go in the empty. */
export function useConnecting() {
  const stores = useEditor()
  return useMemo(() => connecting(stores), [stores])
}

function connecting(stores: EditorStores) {
  /** From and to a card: every node of a group gets its edge. */
  const join = (source: string, handle: string | null | undefined, target: string) => {
    const flow = flowOf(stores)
    const events = nodesBehind(flow, source).map((id) => eventOf(id, handle))
    const targets = nodesBehind(flow, target)
    const names = [events, targets].map(([first, ...more]) =>
      more.length === 0 ? first : `${more.length + 1} nodes`,
    )
    report(
      editFlow(stores, `Connect ${names.join(' to ')}`, (before) => connectedAll(before, events, targets)),
    )
  }

  let isTakenBack = false
  /** Escape takes an edge back that is being drawn: the canvas only knows that the button was let go. */
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    isTakenBack = true
    document.dispatchEvent(new MouseEvent('mouseup'))
  }
  const begin = () => {
    isTakenBack = false
    window.addEventListener('keydown', press, true)
  }
  const end = () => window.removeEventListener('keydown', press, true)

  return {
    onConnectStart: begin,
    onReconnectStart: begin,
    onReconnectEnd: end,

    onConnect: ({ source, sourceHandle, target }: Connection) => {
      if (!isTakenBack) join(source, sourceHandle, target)
    },

    onReconnect: (edge: WireEdge, { source, sourceHandle, target }: Connection) => {
      const old = edge.data?.edge
      if (old === undefined || isTakenBack) return
      // The event may have no handle; it stays when the source stays.
      const stays = source === edge.source && sourceHandle === edge.sourceHandle
      const event = stays ? old.event : eventOf(source, sourceHandle)
      report(
        editFlow(stores, `Lead ${edge.id} elsewhere`, (flow) => reconnected(flow, edge.id, event, target)),
      )
    },

    onConnectEnd: (event: MouseEvent | TouchEvent, { isValid, fromHandle }: FinalConnectionState) => {
      end()
      if (isTakenBack || isValid === true || fromHandle === null) return
      const point = 'clientX' in event ? event : event.changedTouches[0]
      if (point === undefined) return
      const { clientX, clientY } = point
      const forward = fromHandle.type === 'source'
      const card = document
        .elementsFromPoint(clientX, clientY)
        .map((element) => element.closest<HTMLElement>('.react-flow__node-card, .react-flow__node-group'))
        .find((element) => element !== null)?.dataset['id']
      if (card === fromHandle.nodeId) return
      // A card is large: who lets go anywhere on it means it.
      if (card !== undefined) {
        if (forward) join(fromHandle.nodeId, fromHandle.id, card)
        return
      }
      const place = stores.view.canvas()?.at({ x: clientX, y: clientY })
      // A new node waits for one node, or is waited for by one.
      if (place == null || isGroup(fromHandle.nodeId)) return
      stores.view.setState({
        adding: true,
        placing: {
          at: { x: place.position.x - (forward ? 0 : 224), y: place.position.y - 30 },
          ...(forward ? { after: eventOf(fromHandle.nodeId, fromHandle.id) } : { before: fromHandle.nodeId }),
        },
      })
    },
  }
}
