'use client'

import { useEffect, useRef } from 'react'

/** Edits the name of a card: Enter and blur take it, Escape cancels. */
export function CardName({ name, onDone }: { name: string; onDone: (name: string | null) => void }) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.select(), [])
  return (
    <input
      ref={field}
      aria-label={`Name of ${name}`}
      defaultValue={name}
      maxLength={200}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Enter') onDone(event.currentTarget.value)
        else if (event.key === 'Escape') onDone(null)
      }}
      onBlur={(event) => onDone(event.currentTarget.value)}
      className="nodrag nopan h-[18px] w-full rounded-sm bg-sunken px-1 text-sm font-semibold outline-none"
    />
  )
}
