'use client'

import {
  CircleCheck,
  CircleDashed,
  Ellipsis,
  FlaskConical,
  LoaderCircle,
  Pencil,
  RefreshCw,
  Trash2,
  TriangleAlert,
} from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import { Dialog } from '@/components/ui/dialog'
import { Field, Input } from '@/components/ui/field'
import { Menu, MenuItem } from '@/components/ui/menu'
import { EmptyState } from '@/components/ui/states'
import { limits } from '@/core/pipeline/definition/definition'
import { nameProblem } from '@/components/editor/model/rehearsal/case-edits'
import { casesText, type Case, type Cases } from '@/components/editor/model/rehearsal/cases'

/** The cases of the pipeline with their results. One can be open in the scenario. */
export function CaseList({
  cases: { cases, busy },
  opened,
  mayEdit,
  onOpen,
  onRename,
  onRemove,
  onUpdate,
}: {
  cases: Cases
  opened: number | null
  mayEdit: boolean
  onOpen: (at: number) => void
  onRename: (at: number, name: string) => void
  onRemove: (at: number) => void
  /** Keeps the scenario that is shown, and what comes of it, as that case. */
  onUpdate: (at: number) => void
}) {
  const [renaming, setRenaming] = useState<number | null>(null)
  if (cases.length === 0)
    return (
      <EmptyState icon={FlaskConical} title="No cases yet">
        Let something go wrong, look at the outcome, and save it as a case. It is rehearsed again after every
        edit.
      </EmptyState>
    )
  return (
    <>
      <p role="status" className="border-b border-line px-4 py-2 text-xs text-muted">
        {casesText(cases, busy)}
      </p>
      <ul aria-label="Cases" className="divide-y divide-line">
        {cases.map((one, at) => (
          <li
            key={at}
            className={cn('flex items-start gap-1 pr-2 hover:bg-sunken', at === opened && 'bg-accent-soft')}
          >
            <button
              type="button"
              aria-current={at === opened ? 'true' : undefined}
              onClick={() => onOpen(at)}
              className="flex min-w-0 flex-1 items-start gap-2.5 px-4 py-2 text-left -outline-offset-2"
            >
              <Sign one={one} busy={busy} />
              <span className="min-w-0">
                <span className="block font-medium break-words">{one.name}</span>
                {one.messages?.slice(0, 3).map((message) => (
                  <span key={message} className="block text-xs break-words text-muted">
                    {message}
                  </span>
                ))}
                {one.messages !== null && one.messages.length > 3 && (
                  <span className="block text-xs text-faint">and {one.messages.length - 3} more</span>
                )}
              </span>
            </button>
            {mayEdit && (
              <Menu
                trigger={
                  <Button tone="quiet" size="icon" className="mt-1 size-7" aria-label={`More: ${one.name}`}>
                    <Ellipsis aria-hidden />
                  </Button>
                }
              >
                <MenuItem onSelect={() => setRenaming(at)}>
                  <Pencil aria-hidden /> Rename…
                </MenuItem>
                <MenuItem onSelect={() => onUpdate(at)} disabled={at !== opened}>
                  <RefreshCw aria-hidden /> Update from what is shown…
                </MenuItem>
                <MenuItem onSelect={() => onRemove(at)}>
                  <Trash2 aria-hidden /> Delete
                </MenuItem>
              </Menu>
            )}
          </li>
        ))}
      </ul>
      <Dialog
        open={renaming !== null}
        onOpenChange={(open) => {
          if (!open) setRenaming(null)
        }}
        title="Rename the case"
      >
        {renaming !== null && (
          <Rename
            name={cases[renaming]?.name ?? ''}
            onDone={(name) => {
              if (name !== null) onRename(renaming, name)
              setRenaming(null)
            }}
          />
        )}
      </Dialog>
    </>
  )
}

function Sign({ one: { messages }, busy }: { one: Case; busy: boolean }) {
  const look = 'mt-0.5 size-4 shrink-0'
  if (messages === null)
    return (
      <span role="img" aria-label="Not rehearsed yet" className={cn(look, 'text-faint')}>
        {busy ? (
          <LoaderCircle aria-hidden className="size-4 animate-turn" />
        ) : (
          <CircleDashed aria-hidden className="size-4" />
        )}
      </span>
    )
  return messages.length === 0 ? (
    <CircleCheck aria-label="Passes" className={cn(look, 'text-completed')} />
  ) : (
    <TriangleAlert aria-label="Fails" className={cn(look, 'text-warning')} />
  )
}

function Rename({ name: before, onDone }: { name: string; onDone: (name: string | null) => void }) {
  const id = useId()
  const [name, setName] = useState(before)
  const problem = nameProblem(name)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (problem === undefined) onDone(name.trim())
      }}
    >
      <div className="px-5 pb-4">
        <Field id={id} label="Name" error={problem}>
          <Input
            id={id}
            value={name}
            maxLength={limits.nameLength}
            aria-invalid={problem !== undefined}
            onChange={({ target }) => setName(target.value)}
            onFocus={({ target }) => target.select()}
          />
        </Field>
      </div>
      <div className="flex justify-end gap-2 border-t border-line px-5 py-3">
        <Button onClick={() => onDone(null)}>Cancel</Button>
        <Button type="submit" tone="primary" disabled={problem !== undefined}>
          Rename
        </Button>
      </div>
    </form>
  )
}
