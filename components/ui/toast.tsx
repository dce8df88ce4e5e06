'use client'

import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { Toast as Radix } from 'radix-ui'
import { usePathname } from 'next/navigation'
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { Button } from './button'
import { toastSpot } from './toast-spot'

type Note = {
  readonly id: number
  readonly tone: 'good' | 'bad'
  readonly title: string
  readonly text?: string
  /** A possible next step. */
  readonly action?: { readonly text: string; readonly onAct: () => void }
  /**
   * The pages, by the beginning of their path, on which it says something. Absent: where it was shown, when it offers a next step, which
   * whoever leaves has taken or does not want; else everywhere.
   */
  readonly under?: string
}

let notes: readonly Note[] = []
let nextId = 1
const listeners = new Set<() => void>()

function replace(next: readonly Note[]) {
  notes = next
  for (const listener of listeners) listener()
}

/** Shows a short message in the corner. A toast only confirms: errors that need an answer are shown where they happened. */
export function toast(note: Omit<Note, 'id'>): void {
  const under = note.under ?? (note.action === undefined ? undefined : window.location.pathname)
  replace([...notes.slice(-3), { ...note, ...(under === undefined ? {} : { under }), id: nextId++ }])
}

const isUnder = (path: string, start: string): boolean => path === start || path.startsWith(`${start}/`)

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const CONTROLS = 'a[href], button, input, select, textarea, summary, [role="slider"], [role="tab"]'

/** Where the toasts are: they cover no control of the page, as long as there is room beside the controls. */
function useSpot(shown: readonly Note[], path: string) {
  const list = useRef<HTMLOListElement>(null)
  const [spot, setSpot] = useState({ left: 0, bottom: 0 })
  useLayoutEffect(() => {
    const own = list.current
    if (own === null || shown.length === 0) return
    const controls = [...document.querySelectorAll(CONTROLS)]
      .filter((element) => !own.contains(element) && element.checkVisibility())
      .map((element) => element.getBoundingClientRect())
    setSpot(
      toastSpot({ width: own.offsetWidth, height: own.offsetHeight }, controls, {
        width: document.documentElement.clientWidth,
        height: window.innerHeight,
      }),
    )
  }, [shown, path])
  return { list, spot }
}

/** The region in which toasts appear, once per page. It adds no style element: the content security policy would refuse it. */
export function Toaster() {
  const shown = useSyncExternalStore(
    subscribe,
    () => notes,
    () => notes,
  )
  const path = usePathname()
  useEffect(() => {
    const here = notes.filter(({ under }) => under === undefined || isUnder(path, under))
    if (here.length < notes.length) replace(here)
  }, [path])
  const { list, spot } = useSpot(shown, path)
  return (
    <Radix.Provider duration={6000} swipeDirection="right">
      {shown.map((note) => (
        <Radix.Root
          key={note.id}
          // A toast with an action stays long enough to be reached by keyboard.
          {...(note.action === undefined ? {} : { duration: 20_000 })}
          onOpenChange={(open) => {
            if (!open) replace(notes.filter((other) => other.id !== note.id))
          }}
          className="flex w-80 max-w-[calc(100vw-2rem)] items-start gap-3 rounded-lg border border-line bg-surface p-3 shadow-raised duration-150 data-[state=open]:animate-in data-[state=open]:fade-in-0"
        >
          {note.tone === 'good' ? (
            <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
          ) : (
            <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
          )}
          <div className="min-w-0">
            <Radix.Title className="font-semibold">{note.title}</Radix.Title>
            {note.text !== undefined && (
              <Radix.Description className="break-words text-muted">{note.text}</Radix.Description>
            )}
            {note.action !== undefined && (
              <Radix.Action asChild altText={note.action.text}>
                <Button size="small" className="mt-2" onClick={note.action.onAct}>
                  {note.action.text}
                </Button>
              </Radix.Action>
            )}
          </div>
          <Radix.Close aria-label="Dismiss" className="ml-auto rounded-sm p-0.5 text-faint hover:text-ink">
            <X aria-hidden className="size-4" />
          </Radix.Close>
        </Radix.Root>
      ))}
      <Radix.Viewport ref={list} style={spot} className="fixed z-50 flex flex-col gap-2 outline-none" />
    </Radix.Provider>
  )
}
