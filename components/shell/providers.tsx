'use client'

import { QueryClientProvider } from '@tanstack/react-query'
import { setNonce } from 'get-nonce'
import { ThemeProvider } from 'next-themes'
import type { ReactNode } from 'react'
import { z } from 'zod'
import { queryClient } from '@/components/api'
import { Toaster } from '@/components/ui/toast'

// The content security policy allows no code from text: zod must not even probe for it.
z.config({ jitless: true })

/** The providers around every page. `nonce`: the content security policy allows inline scripts and style elements that carry it. */
export function Providers({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  // Dialogs lock scrolling by a style element, which the policy accepts with the nonce only.
  if (nonce !== undefined && typeof window !== 'undefined') setNonce(nonce)
  return (
    <QueryClientProvider client={queryClient}>
      <ThemeProvider
        attribute="class"
        enableSystem
        disableTransitionOnChange
        {...(nonce === undefined ? {} : { nonce })}
      >
        {children}
        <Toaster />
      </ThemeProvider>
    </QueryClientProvider>
  )
}
