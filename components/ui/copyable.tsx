'use client'

import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { cn } from './class-names'

/** An id in mono that a click copies. A long text is built when it is copied; `shown` is displayed instead. */
export function Copyable({
  text,
  shown,
  className,
}: { className?: string } & ({ text: string; shown?: string } | { text: () => string; shown: string })) {
  const [copied, setCopied] = useState(false)
  return (
    <button
      type="button"
      title={copied ? 'Copied' : typeof text === 'string' ? `Copy ${text}` : shown}
      onClick={() => {
        void navigator.clipboard
          ?.writeText(typeof text === 'string' ? text : text())
          .then(() => setCopied(true))
      }}
      onMouseLeave={() => setCopied(false)}
      onBlur={() => setCopied(false)}
      className={cn(
        'group inline-flex max-w-full items-center gap-1 rounded-sm font-mono text-xs text-muted hover:text-ink',
        className,
      )}
    >
      <span className="truncate">{shown ?? (typeof text === 'string' ? text : '')}</span>
      {copied ? (
        <Check aria-hidden className="size-3 shrink-0 text-accent" />
      ) : (
        <Copy aria-hidden className="size-3 shrink-0 opacity-50 group-hover:opacity-100" />
      )}
      <span className="sr-only">{copied ? 'copied' : 'copy'}</span>
    </button>
  )
}

export function Kbd({ children }: { children: string }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border border-line bg-sunken px-1 text-[11px] text-muted">
      {children}
    </kbd>
  )
}
