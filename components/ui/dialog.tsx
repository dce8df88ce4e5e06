'use client'

import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { useRef, type ReactNode } from 'react'
import { Button } from './button'
import { cn } from './class-names'

/**
 * A modal dialog: focus stays inside, Escape closes, and focus returns to where it was.
 * `side` makes it a sheet at the left edge (mobile navigation).
 */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  side = 'centre',
  hideHeader = false,
  mustAnswer = false,
  onClosed,
  className,
  children,
}: {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description?: string
  side?: 'centre' | 'left' | 'top'
  hideHeader?: boolean
  /** It needs an answer: only its own buttons close it. */
  mustAnswer?: boolean
  /** Called when it is gone and the focus is back. */
  onClosed?: () => void
  className?: string
  children: ReactNode
}) {
  // Read during render: before effects run, a field inside takes the focus.
  const before = useRef<Element | null>(null)
  const wasOpen = useRef(false)
  if (open && !wasOpen.current && typeof document !== 'undefined') before.current = document.activeElement
  wasOpen.current = open
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-[#0b1118]/45 duration-150 data-[state=closed]:animate-out data-[state=closed]:fade-out-0 data-[state=open]:animate-in data-[state=open]:fade-in-0 dark:bg-black/60" />
        <Radix.Content
          onOpenAutoFocus={(event) => {
            // Where no field takes the focus, the first button (close) would, and the next Enter would press it.
            event.preventDefault()
            if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus()
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            if (before.current instanceof HTMLElement) before.current.focus()
            onClosed?.()
          }}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          className={cn(
            'fixed z-50 flex flex-col border border-line bg-surface shadow-raised duration-150 focus:outline-none data-[state=closed]:animate-out data-[state=closed]:fade-out-0 data-[state=open]:animate-in data-[state=open]:fade-in-0',
            side === 'left' && 'inset-y-0 left-0 w-72 rounded-r-lg data-[state=open]:slide-in-from-left',
            side === 'centre' &&
              'top-1/2 left-1/2 max-h-[min(85dvh,720px)] w-[min(560px,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 rounded-lg',
            side === 'top' &&
              'top-[12dvh] left-1/2 max-h-[70dvh] w-[min(560px,calc(100vw-2rem))] -translate-x-1/2 rounded-lg',
            className,
          )}
        >
          <div className={cn('flex items-start gap-4 px-5 pt-4 pb-3', hideHeader && 'sr-only')}>
            <div className="min-w-0">
              <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
              {description !== undefined && (
                <Radix.Description className="mt-0.5 text-muted">{description}</Radix.Description>
              )}
            </div>
            {!mustAnswer && (
              <Radix.Close asChild>
                <Button tone="quiet" size="icon" aria-label="Close" className="-mt-1 -mr-2 ml-auto">
                  <X aria-hidden />
                </Button>
              </Radix.Close>
            )}
          </div>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
