'use client'

import { useMemo, useState } from 'react'
import { Dialog } from '@/components/ui/dialog'
import { Input } from '@/components/ui/field'
import { isExternal } from '@/core/pipeline/gate/event-type'
import { eventName } from '@/core/pipeline/gate/start-when'

export type Choice = { readonly event: string; readonly text: string }

/** More are found by their letters. */
const MOST_SHOWN = 60

/** The events for which a node can wait, found by what they say. Enter takes the first; an event from outside is written out. */
export function WaitFor({
  node,
  choices,
  onClose,
  onTake,
}: {
  node: string
  choices: readonly Choice[]
  onClose: () => void
  onTake: (event: string) => void
}) {
  const [asked, setAsked] = useState('')
  const found = useMemo(() => {
    const words = asked.toLowerCase().split(/\s+/).filter(Boolean)
    const known = choices.filter(({ text, event }) =>
      words.every((word) => text.includes(word) || event.includes(word)),
    )
    const typed = asked.trim()
    const outside = eventName.test(typed) && isExternal(typed)
    return outside ? [{ event: typed, text: 'an external event' }, ...known] : known
  }, [asked, choices])
  const take = (event: string) => {
    onTake(event)
    onClose()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`What does ${node} wait for?`}
      description="A node and its outcome, or external.NAME for an external event."
    >
      <form
        className="flex min-h-0 flex-col px-5 pb-4"
        onSubmit={(event) => {
          event.preventDefault()
          const [first] = found
          if (first !== undefined) take(first.event)
        }}
      >
        <Input
          autoFocus
          value={asked}
          onChange={(event) => setAsked(event.target.value)}
          placeholder="for example read completed"
          aria-label="Search for an event"
        />
        <ul aria-label="Events" className="-mx-2 mt-3 flex max-h-96 flex-col overflow-y-auto">
          {found.slice(0, MOST_SHOWN).map(({ event, text }) => (
            <li key={event}>
              <button
                type="button"
                onClick={() => take(event)}
                className="flex w-full items-baseline gap-3 rounded-md px-2 py-1.5 text-left text-sm hover:bg-sunken"
              >
                {text} <code className="ml-auto truncate text-xs text-faint">{event}</code>
              </button>
            </li>
          ))}
        </ul>
        {found.length === 0 && <p className="mt-3 text-sm text-muted">No event found.</p>}
        {found.length > MOST_SHOWN && (
          <p className="mt-3 text-xs text-faint">
            {found.length - MOST_SHOWN} more: type to narrow the list.
          </p>
        )}
      </form>
    </Dialog>
  )
}
