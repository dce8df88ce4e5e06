import type { ComponentProps, ReactNode } from 'react'
import { cn } from './class-names'

/** A titled surface. `action` is shown at the right of the title. */
export function Card({
  title,
  action,
  count,
  className,
  children,
  ...rest
}: Omit<ComponentProps<'section'>, 'title'> & {
  title?: string
  action?: ReactNode
  count?: number | undefined
}) {
  return (
    <section
      aria-label={title}
      className={cn('overflow-hidden rounded-lg border border-line bg-surface shadow-card', className)}
      {...rest}
    >
      {title !== undefined && (
        <header className="flex min-h-11 items-center gap-2 border-b border-line px-4">
          <h2 className="text-sm font-semibold">{title}</h2>
          {count !== undefined && (
            <span className="rounded-full bg-sunken px-2 text-xs leading-5 text-muted">{count}</span>
          )}
          <div className="ml-auto flex items-center gap-2">{action}</div>
        </header>
      )}
      {children}
    </section>
  )
}
