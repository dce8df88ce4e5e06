'use client'

import { Search } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { FindField } from '@/components/graph/find-field'
import { Button } from '@/components/ui/button'
import { isChord, keysOfChord } from '@/components/ui/chords'
import { useListCommands } from '@/components/ui/listed-commands'
import { useListShortcuts } from '@/components/ui/listed-shortcuts'
import { nodeStatus, statusText } from '@/components/ui/status'
import { isTyping } from '@/components/ui/typing'
import { useRunPart } from './run-context'

const KEYS = ['Mod+F', '/'] as const
const SHORTCUTS = [{ title: 'Graph', rows: [{ keys: keysOfChord(KEYS[0]), text: 'Find a node' }] }]

/** Finds a node of a run by its id, name, task or status. */
export function FindInRun({ onGo }: { onGo: (node: string) => void }) {
  const [open, setOpen] = useState(false)
  useListShortcuts(SHORTCUTS)
  useListCommands(() => [
    { id: 'find', title: 'Find a node', icon: Search, keys: keysOfChord(KEYS[0]), run: () => setOpen(true) },
  ])
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isTyping(event.target) || !KEYS.some((key) => isChord(event, key))) return
      if (event.target instanceof Element && event.target.closest('[role="dialog"], [role="menu"]') !== null)
        return
      event.preventDefault()
      setOpen(true)
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
  return (
    <div className="absolute top-10 left-3 z-10">
      {open ? (
        <Field onGo={onGo} onClose={() => setOpen(false)} />
      ) : (
        <Button
          size="icon"
          aria-label="Find a node"
          title="Find a node (Ctrl+F)"
          onClick={() => setOpen(true)}
        >
          <Search aria-hidden />
        </Button>
      )}
    </div>
  )
}

function Field({ onGo, onClose }: { onGo: (node: string) => void; onClose: () => void }) {
  const { pipeline, nodes } = useRunPart((run) => ({ pipeline: run.pipeline, nodes: run.view.nodes }))
  const findable = useMemo(
    () =>
      [...pipeline.nodes].map(([id, { definition }]) => {
        const { name = id, task = '', pipeline: child = '' } = definition
        const node = nodes[id]
        const state = node === undefined ? '' : `${node.status} ${statusText(nodeStatus(node))}`
        return { id, name: name === '' ? id : name, text: [id, name, task, child, state].join(' ') }
      }),
    [pipeline, nodes],
  )
  return <FindField nodes={findable} onGo={onGo} onClose={onClose} />
}
