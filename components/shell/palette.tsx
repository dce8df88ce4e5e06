'use client'

import { useQuery } from '@tanstack/react-query'
import { ListTree, PlaySquare, Search, type LucideIcon } from 'lucide-react'
import { useId, useState } from 'react'
import { api } from '@/components/api'
import { cn } from '@/components/ui/class-names'
import { Dialog } from '@/components/ui/dialog'
import { pages } from './navigation'
import { useNavigate } from './offline-navigation'

type Item = {
  readonly href: string
  readonly label: string
  readonly detail: string
  readonly icon: LucideIcon
}

/** The command palette: opens pages, pipelines and recent executions by name. Arrows choose, Enter opens. */
export function Palette({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Go to"
      side="top"
      hideHeader
      className="overflow-hidden"
    >
      <Choices onGo={() => onOpenChange(false)} />
    </Dialog>
  )
}

function Choices({ onGo }: { onGo: () => void }) {
  const go = useNavigate()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const list = useId()
  const pipelines = useQuery(api.pipelines.list.queryOptions({ limit: 100 }))
  const executions = useQuery(api.executions.list.queryOptions({ limit: 20 }))
  const all: Item[] = [
    ...pages.map(({ href, label, icon }) => ({ href, label, icon, detail: 'page' })),
    ...(pipelines.data?.items ?? []).map((row) => ({
      href: `/pipelines/${row.id}`,
      label: row.name,
      icon: ListTree,
      detail: row.id,
    })),
    ...(executions.data?.items ?? []).map((row) => ({
      href: `/executions/${row.execution_id}`,
      label: row.execution_id,
      icon: PlaySquare,
      detail: `${row.pipeline_id} · ${row.status}`,
    })),
  ]
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = all
    .filter((item) => {
      const haystack = `${item.label} ${item.detail}`.toLowerCase()
      return words.every((word) => haystack.includes(word))
    })
    .slice(0, 12)
  const current = Math.min(at, Math.max(0, found.length - 1))
  const choose = (item: Item | undefined) => {
    if (item === undefined) return
    onGo()
    go(item.href)
  }
  return (
    <>
      <div className="flex items-center gap-2.5 border-b border-line px-4">
        <Search aria-hidden className="size-4 text-faint" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={found.length > 0 ? `${list}-${current}` : undefined}
          aria-label="Go to a page, pipeline or execution"
          placeholder="Go to a page, pipeline or execution…"
          autoFocus
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setAt(0)
          }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') setAt(Math.min(found.length - 1, current + 1))
            else if (event.key === 'ArrowUp') setAt(Math.max(0, current - 1))
            else if (event.key === 'Enter') choose(found[current])
            else return
            event.preventDefault()
          }}
          className="h-12 w-full bg-transparent text-base outline-none placeholder:text-faint"
        />
      </div>
      <div id={list} role="listbox" aria-label="Matches" className="overflow-y-auto p-1.5">
        {found.length === 0 && <p className="px-3 py-6 text-center text-muted">Nothing is called that.</p>}
        {found.map((item, index) => (
          <div
            key={item.href}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === current}
            onMouseMove={() => setAt(index)}
            onClick={() => choose(item)}
            className={cn(
              'flex h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5',
              index === current && 'bg-accent-soft text-accent',
            )}
          >
            <item.icon aria-hidden className="size-4 shrink-0 opacity-70" />
            <span className="truncate font-medium">{item.label}</span>
            <span className="ml-auto shrink-0 font-mono text-xs text-faint">{item.detail}</span>
          </div>
        ))}
      </div>
    </>
  )
}
