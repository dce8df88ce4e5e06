'use client'

import { Search, X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import { Input } from '@/components/ui/field'
import { NameAndId } from '@/components/ui/name-and-id'

/** As many as a person looks through. */
const MOST = 30

export type Findable = {
  readonly id: string
  readonly name: string
  /** All by which it is found. */
  readonly text: string
}

/** Finds a node of a graph; arrows go through what was found, each is shown at once. */
export function FindField({
  nodes,
  onGo,
  onClose,
}: {
  nodes: readonly Findable[]
  onGo: (id: string) => void
  onClose: () => void
}) {
  const [asked, setAsked] = useState('')
  const [at, setAt] = useState(-1)
  const found = useMemo(() => {
    const words = asked.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length === 0) return []
    return nodes.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)))
  }, [asked, nodes])

  function go(to: number): void {
    const one = found[to]
    if (one === undefined) return
    setAt(to)
    onGo(one.id)
  }

  return (
    <div
      role="search"
      className="w-80 max-w-[calc(100vw-2rem)] rounded-lg border border-line bg-surface p-2 shadow-raised"
    >
      <div className="flex items-center gap-1.5">
        <Search aria-hidden className="size-4 shrink-0 text-faint" />
        <Input
          autoFocus
          type="search"
          maxLength={200}
          value={asked}
          onChange={(event) => {
            setAsked(event.target.value)
            setAt(-1)
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onClose()
            else if (event.key === 'Enter' || event.key === 'ArrowDown')
              go((at + 1) % Math.max(1, found.length))
            else if (event.key === 'ArrowUp')
              go((Math.max(0, at) + found.length - 1) % Math.max(1, found.length))
            else return
            event.preventDefault()
          }}
          placeholder="Find a node"
          aria-label="Find a node"
        />
        <Button tone="quiet" size="icon" aria-label="Close the search" onClick={onClose}>
          <X aria-hidden />
        </Button>
      </div>
      {asked.trim() !== '' && (
        <p role="status" className="px-1 pt-1.5 text-xs text-faint">
          {found.length === 0
            ? 'No node found.'
            : `${found.length === 1 ? '1 node' : `${found.length} nodes`}. Enter goes to the next.`}
        </p>
      )}
      {found.length > 0 && (
        <ul className="mt-1 max-h-56 overflow-y-auto">
          {found.slice(0, MOST).map(({ id, name }, index) => (
            <li key={id}>
              <button
                type="button"
                onClick={() => go(index)}
                className={cn(
                  'flex w-full items-baseline gap-2 rounded-md px-2 py-1 text-left text-sm hover:bg-sunken',
                  index === at && 'bg-accent-soft',
                )}
              >
                <NameAndId name={name} id={id} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
