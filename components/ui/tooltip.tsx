'use client'

import { Tooltip as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

/** Says more about its one child on hover and on keyboard focus. */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={350} skipDelayDuration={200}>
      <Radix.Root>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal>
          <Radix.Content
            sideOffset={6}
            collisionPadding={8}
            className="z-50 max-w-80 rounded-md bg-ink px-2 py-1 text-xs text-ground shadow-raised duration-150 data-[state=delayed-open]:animate-in data-[state=delayed-open]:fade-in-0"
          >
            {text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  )
}
