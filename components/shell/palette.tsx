'use client'

import { Search } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { cn } from '@/components/ui/class-names'
import { Kbd } from '@/components/ui/copyable'
import { Dialog } from '@/components/ui/dialog'
import { useNavigate } from './offline-navigation'
import { GROUPS, matching } from './palette-match'
import { useChoices, type Choice, type Opens } from './use-choices'

/**
 * The command palette: the commands of the page and of the product, pages, pipelines, schedules and runs, by name. Arrows choose, Enter
 * does it. A command runs when the palette is gone and the keyboard is back where it was.
 */
export function Palette({
  open,
  onOpenChange,
  ...opens
}: { open: boolean; onOpenChange: (open: boolean) => void } & Opens) {
  const go = useNavigate()
  const pending = useRef<(() => void) | null>(null)
  const choose = ({ act }: Choice) => {
    if ('href' in act) go(act.href)
    else pending.current = act.run
    onOpenChange(false)
  }
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      onClosed={() => {
        pending.current?.()
        pending.current = null
      }}
      title="Commands"
      side="top"
      hideHeader
      className="overflow-hidden"
    >
      <Choices opens={opens} onChoose={choose} />
    </Dialog>
  )
}

function Choices({ opens, onChoose }: { opens: Opens; onChoose: (choice: Choice) => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const list = useId()
  const found = matching(useChoices(text, opens), text)
  const current = Math.min(at, Math.max(0, found.length - 1))
  const shown = useRef<HTMLDivElement | null>(null)
  const moved = useRef(false)
  useEffect(() => {
    if (!moved.current) return
    moved.current = false
    shown.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [current])
  const move = (to: number) => {
    moved.current = true
    setAt(to)
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
          aria-label="Find a command, page, pipeline, schedule or run"
          placeholder="Find a command, page, pipeline or run…"
          autoFocus
          maxLength={200}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setAt(0)
          }}
          onKeyDown={(event) => {
            const choice = found[current]
            if (event.key === 'ArrowDown') move(Math.min(found.length - 1, current + 1))
            else if (event.key === 'ArrowUp') move(Math.max(0, current - 1))
            else if (event.key !== 'Enter') return
            else if (choice !== undefined) onChoose(choice)
            event.preventDefault()
          }}
          className="h-12 w-full bg-transparent text-base outline-none placeholder:text-faint"
        />
      </div>
      <div ref={shown} id={list} role="listbox" aria-label="Matches" className="overflow-y-auto p-1.5">
        {found.length === 0 && <p className="px-3 py-6 text-center text-muted">Nothing is called that.</p>}
        {GROUPS.map(({ id, title }) => {
          const own = found.flatMap((choice, index) => (choice.group === id ? [{ choice, index }] : []))
          if (own.length === 0) return null
          return (
            <div key={id} role="group" aria-label={title}>
              <p aria-hidden className="px-2.5 pt-2 pb-1 text-xs text-faint">
                {title}
              </p>
              {own.map(({ choice, index }) => (
                <Option
                  key={choice.key}
                  id={`${list}-${index}`}
                  choice={choice}
                  isCurrent={index === current}
                  onPoint={() => setAt(index)}
                  onChoose={() => onChoose(choice)}
                />
              ))}
            </div>
          )
        })}
      </div>
    </>
  )
}

function Option({
  id,
  choice: { icon: Icon, label, detail, state, keys, group },
  isCurrent,
  onPoint,
  onChoose,
}: {
  id: string
  choice: Choice
  isCurrent: boolean
  onPoint: () => void
  onChoose: () => void
}) {
  return (
    <div
      id={id}
      role="option"
      aria-selected={isCurrent}
      onMouseMove={onPoint}
      onClick={onChoose}
      className={cn(
        'flex h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5',
        isCurrent && 'bg-accent-soft text-accent',
      )}
    >
      <Icon aria-hidden className="size-4 shrink-0 opacity-70" />
      <span title={label} className={cn('truncate font-medium', group === 'runs' && 'font-mono text-xs')}>
        {label}
      </span>
      {keys === undefined ? (
        // Of an action, only words by which it is found.
        group !== 'actions' &&
        group !== 'decisions' &&
        (detail !== label || state !== undefined) && (
          <span title={detail} className="ml-auto flex min-w-0 gap-1.5 font-mono text-xs text-faint">
            {detail !== label && <span className="truncate">{detail}</span>}
            {state !== undefined && <span className="shrink-0">{state}</span>}
          </span>
        )
      ) : (
        <span className="ml-auto flex shrink-0 gap-1">
          {keys.map((key) => (
            <Kbd key={key}>{key}</Kbd>
          ))}
        </span>
      )}
    </div>
  )
}
