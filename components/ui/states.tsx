import { CircleAlert, RefreshCw, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button'
import { cn } from './class-names'

/** Nothing is here yet: says so, and what to do next. */
export function EmptyState({
  icon: Icon,
  title,
  children,
  action,
  heading: Heading = 'p',
  className,
}: {
  icon: LucideIcon
  title: string
  children?: ReactNode
  action?: ReactNode
  /** `h1` where this is all that the page says. */
  heading?: 'p' | 'h1'
  className?: string
}) {
  return (
    <div className={cn('flex flex-col items-center gap-2 px-6 py-10 text-center', className)}>
      <span className="mb-1 grid size-10 place-items-center rounded-lg border border-line bg-sunken text-faint">
        <Icon aria-hidden className="size-5" />
      </span>
      <Heading className="text-base font-semibold">{title}</Heading>
      {children !== undefined && <div className="max-w-[46ch] text-balance text-muted">{children}</div>}
      {action !== undefined && <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  )
}

/** Something failed: what, where, and what to do about it. */
export function ErrorState({
  what,
  error,
  retry,
}: {
  /** What could not be done, as a sentence: "The list of runs could not be loaded." */
  what: string
  error: { readonly message: string }
  retry?: () => void
}) {
  return (
    <div role="alert" className="flex flex-col items-center gap-2 px-6 py-10 text-center">
      <span className="mb-1 grid size-10 place-items-center rounded-lg border border-danger/40 text-danger">
        <CircleAlert aria-hidden className="size-5" />
      </span>
      <p className="text-base font-semibold">{what}</p>
      <p className="max-w-[60ch] break-words text-muted">{error.message}</p>
      {retry !== undefined && (
        <Button className="mt-2" onClick={retry}>
          <RefreshCw aria-hidden /> Try again
        </Button>
      )}
    </div>
  )
}

/** A placeholder while content loads. Hidden from screen readers: the container is marked as busy. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={cn('animate-pulse rounded-md bg-line/70 dark:bg-line', className)} />
}

/** Rows of a list that is being loaded. */
export function SkeletonRows({ rows = 6 }: { rows?: number }) {
  return (
    <div role="status" aria-label="Loading" className="divide-y divide-line">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="flex h-11 items-center gap-4 px-4">
          <Skeleton className="h-5 w-20 rounded-full" />
          <Skeleton className="h-3.5 w-48 max-w-[40%]" />
          <Skeleton className="ml-auto h-3.5 w-16" />
        </div>
      ))}
    </div>
  )
}
