'use client'

import { useSyncExternalStore } from 'react'
import { tabStream } from '@/components/api'
import { cn } from '@/components/ui/class-names'

const faces = {
  connecting: { text: 'Connecting', dot: 'bg-faint' },
  live: { text: 'Live', dot: 'bg-accent' },
  reconnecting: { text: 'Reconnecting…', dot: 'bg-warning' },
  signed_out: { text: 'Signed out', dot: 'bg-danger' },
} as const

/** Whether what stands on the page is what is. */
export function FreshnessMark() {
  const freshness = useSyncExternalStore(tabStream.watch, tabStream.freshness, () => 'connecting' as const)
  const face = faces[freshness]
  return (
    <span role="status" className="flex items-center gap-2 px-2.5 text-xs text-muted">
      <span aria-hidden className={cn('size-1.5 rounded-full', face.dot)} />
      {freshness === 'signed_out' ? (
        <a href="/sign-in" className="underline">
          Signed out: sign in again
        </a>
      ) : (
        face.text
      )}
    </span>
  )
}
