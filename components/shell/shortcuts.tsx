'use client'

import { useEffect, useRef } from 'react'
import { Kbd } from '@/components/ui/copyable'
import { Dialog } from '@/components/ui/dialog'
import { useListedShortcuts, type ShortcutRow } from '@/components/ui/listed-shortcuts'
import { cn } from '@/components/ui/class-names'
import { isTyping } from '@/components/ui/typing'
import { pages } from './navigation'
import { useNavigate } from './offline-navigation'

/** The shortcuts of every page. None fires while somebody types in a field, except the palette's. */
export function useShortcuts(on: { palette: () => void; list: () => void }) {
  const go = useNavigate()
  const latest = useRef(on)
  latest.current = on
  useEffect(() => {
    let afterG = false
    const press = (event: KeyboardEvent) => {
      if (
        (event.ctrlKey || event.metaKey) &&
        !event.altKey &&
        !event.shiftKey &&
        event.key.toLowerCase() === 'k'
      ) {
        event.preventDefault()
        latest.current.palette()
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (afterG) {
        afterG = false
        const page = pages.find((each) => each.keys === event.key)
        if (page !== undefined) {
          event.preventDefault()
          go(page.href)
        }
        return
      }
      if (event.key === 'g') afterG = true
      else if (event.key === '?') latest.current.list()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [go])
}

const everywhere: readonly ShortcutRow[] = [
  { keys: ['Ctrl', 'K'], text: 'Find anything, run a command (⌘ K on a Mac)' },
  ...pages.map((page) => ({ keys: ['g', page.keys], text: page.label })),
  { keys: ['Tab'], text: 'Move from node to node in the graph of a run' },
  { keys: ['Enter'], text: 'Open the focused node' },
  { keys: ['Ctrl', 'Enter'], text: 'Open the pipeline that it runs' },
  { keys: ['1'], text: 'Fit the whole graph' },
  { keys: ['0'], text: 'Zoom to full size' },
  { keys: ['+', '-'], text: 'Zoom in and out' },
  { keys: ['Esc'], text: 'Close the open panel' },
  { keys: ['?'], text: 'This list' },
]

export function ShortcutList({
  open,
  onOpenChange,
}: {
  open: boolean
  onOpenChange: (open: boolean) => void
}) {
  const groups = useListedShortcuts().flat()
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Shortcuts"
      className={groups.length === 0 ? 'w-[min(420px,calc(100vw-2rem))]' : 'w-[min(880px,calc(100vw-2rem))]'}
    >
      <div
        // A scrollable area without focusable content needs the focus itself to be scrolled by keys.
        tabIndex={0}
        role="region"
        aria-label="All shortcuts"
        className="min-h-0 overflow-y-auto px-5 pb-5 -outline-offset-2"
      >
        {/* The columns are as high as they need: in a box of limited height they would run out of it sideways. */}
        <div className={cn(groups.length > 0 && 'gap-8 md:columns-2')}>
          {groups.map(({ title, rows }) => (
            <section key={title} className="mb-4 break-inside-avoid">
              <h3 className="pb-1 text-xs font-medium text-faint">{title}</h3>
              <Rows rows={rows} />
            </section>
          ))}
          {groups.length > 0 && <h3 className="pb-1 text-xs font-medium text-faint">Everywhere</h3>}
          <Rows rows={everywhere} />
        </div>
      </div>
    </Dialog>
  )
}

function Rows({ rows }: { rows: readonly ShortcutRow[] }) {
  return (
    <dl>
      {rows.map((row) => (
        <div
          key={row.text}
          className="flex h-9 break-inside-avoid items-center gap-3 border-b border-line last:border-0"
        >
          <dt className="truncate text-muted">{row.text}</dt>
          <dd className="ml-auto flex shrink-0 gap-1">
            {row.keys.map((key) => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  )
}
