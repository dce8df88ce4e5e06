'use client'

import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Input } from '@/components/ui/field'
import { TaskIcon } from '@/components/ui/task-icon'
import { taskCatalog } from '@/core/tasks/catalog'

/** The tasks that a node can run, found by what they are called and what they do. Enter takes the first. */
export function AddNode({
  open,
  onOpenChange,
  onAdd,
}: {
  open: boolean
  onOpenChange: (open: boolean) => void
  onAdd: (task: string) => void
}) {
  const [asked, setAsked] = useState('')
  const found = useMemo(() => {
    const words = asked.toLowerCase().split(/\s+/).filter(Boolean)
    return [...taskCatalog.values()].filter(({ type, title, description, category }) => {
      const text = `${type} ${title} ${description} ${category}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
  }, [asked])
  const take = (task: string) => {
    onAdd(task)
    setAsked('')
    onOpenChange(false)
  }
  return (
    <>
      <Button onClick={() => onOpenChange(true)}>
        <Plus aria-hidden /> Add node
      </Button>
      <Dialog open={open} onOpenChange={onOpenChange} title="Add a node">
        <form
          className="flex min-h-0 flex-col px-5 pb-4"
          onSubmit={(event) => {
            event.preventDefault()
            const [first] = found
            if (first !== undefined) take(first.type)
          }}
        >
          <Input
            autoFocus
            value={asked}
            onChange={(event) => setAsked(event.target.value)}
            placeholder="Search for a task"
            aria-label="Search for a task"
          />
          <ul className="-mx-2 mt-3 flex max-h-96 flex-col overflow-y-auto">
            {found.map(({ type, title, description }) => (
              <li key={type}>
                <button
                  type="button"
                  onClick={() => take(type)}
                  className="flex w-full items-start gap-3 rounded-md px-2 py-2 text-left hover:bg-sunken"
                >
                  <TaskIcon task={type} />
                  <span className="min-w-0">
                    <span className="block text-sm font-medium">
                      {title} <code className="text-xs font-normal text-faint">{type}</code>
                    </span>
                    <span className="line-clamp-2 block text-xs text-muted">{description}</span>
                  </span>
                </button>
              </li>
            ))}
          </ul>
          {found.length === 0 && <p className="mt-3 text-sm text-muted">No task is called like that.</p>}
        </form>
      </Dialog>
    </>
  )
}
