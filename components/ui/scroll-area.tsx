'use client'

import { useRef, type ReactNode } from 'react'
import { useNoStub } from './no-stub'

/** The part of a panel that scrolls, if it has to. */
export function ScrollArea({ children }: { children: ReactNode }) {
  const [area, content] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)]
  useNoStub(content, area)
  return (
    <div ref={area} className="min-h-0 flex-1 overflow-y-auto">
      <div ref={content}>{children}</div>
    </div>
  )
}
