'use client'

import { usePathname, useSearchParams } from 'next/navigation'
import { useEffect } from 'react'
import type { EditorStores } from '@/components/editor/model/stores'
import { nodesOf } from './model/flow'
import { focusField } from './node/focus-form'
import { NOTHING, onlyNode, selectionOf } from './model/view'

/**
 * The selected node (`?node=`) and the open code (`/code`) are part of the address, so that they can be linked and survive a reload.
 * The address is written without a request to the server.
 */
export function useAddress({ draft, view }: EditorStores, base: string): void {
  const code = usePathname() === `${base}/code`

  // A schedule is found by `?triggers`: the form of the pipeline opens there. The address is written without it below.
  const triggers = useSearchParams().has('triggers')
  useEffect(() => {
    if (!triggers) return
    view.setState({ panel: 'pipeline', selection: NOTHING })
    focusField('Pipeline', ['triggers'])
  }, [triggers, view])

  useEffect(() => {
    const read = () => {
      const node = new URLSearchParams(window.location.search).get('node')
      const known = nodesOf(draft.getState().definition).some(({ id }) => id === node)
      if (node !== null && known && onlyNode(view.getState()) !== node)
        view.setState({ selection: selectionOf(node) })
    }
    read()
    window.addEventListener('popstate', read)
    return () => window.removeEventListener('popstate', read)
  }, [draft, view])

  // The path says first whether the code is open; from then on the panel does.
  useEffect(() => {
    view.setState(({ panel }) => ({ panel: code ? 'code' : panel === 'code' ? 'node' : panel }))
  }, [code, view])

  useEffect(() => {
    const write = () => {
      const state = view.getState()
      const params = new URLSearchParams(window.location.search)
      // The editor shows the current revision, whichever that becomes.
      params.delete('revision')
      params.delete('triggers')
      const node = onlyNode(state)
      if (node === null) params.delete('node')
      else params.set('node', node)
      const path = state.panel === 'code' ? `${base}/code` : base
      const next = params.size === 0 ? path : `${path}?${params}`
      if (next !== window.location.pathname + window.location.search)
        window.history.replaceState(null, '', next)
    }
    write()
    return view.subscribe((state, before) => {
      if (state.selection !== before.selection || state.panel !== before.panel) write()
    })
  }, [view, base])
}
