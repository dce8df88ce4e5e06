'use client'

import { ErrorState } from '@/components/ui/states'

export default function PageError({
  error,
  reset,
}: {
  error: Error & { digest?: string }
  reset: () => void
}) {
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <title>Something broke · Penstock</title>
      <div className="w-full max-w-md rounded-lg border border-line bg-surface shadow-card">
        <ErrorState what="Something went wrong on this page." error={error} retry={reset} />
      </div>
    </main>
  )
}
