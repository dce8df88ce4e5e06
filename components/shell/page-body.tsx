'use client'

import { useRef, type ReactNode } from 'react'
import { useNoStub } from '@/components/ui/no-stub'

/** The width of a page for reading. */
export function PageBody({ children }: { children: ReactNode }) {
  const body = useRef<HTMLDivElement>(null)
  useNoStub(body)
  return (
    <div ref={body} className="mx-auto w-full max-w-6xl px-4 py-6 lg:px-8 lg:py-8">
      {children}
    </div>
  )
}
