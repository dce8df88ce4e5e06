'use client'

import { Link } from './link'
import { usePathname } from 'next/navigation'
import { cn } from './class-names'

/** Tabs that are places: each is a path segment, so that it can be linked and the back button works. */
export function TabLinks({
  label,
  base,
  tabs,
  className,
}: {
  label: string
  base: string
  /**
   * `segment` is empty for the place itself; the first tab is also shown at the place itself. `within`: segments that are part
   * of the tab as well.
   */
  tabs: readonly {
    readonly segment: string
    readonly text: string
    readonly count?: number | undefined
    readonly within?: readonly string[]
    /** What the address carries along, with its question mark. */
    readonly query?: string
  }[]
  className?: string
}) {
  const path = usePathname()
  return (
    <nav
      aria-label={label}
      className={cn('flex overflow-x-auto border-b border-line bg-surface px-2 lg:px-4', className)}
    >
      {tabs.map(({ segment, text, count, within = [], query = '' }, index) => {
        const href = segment === '' ? base : `${base}/${segment}`
        const here =
          path === href || (index === 0 && path === base) || within.some((part) => path === `${base}/${part}`)
        return (
          <Link
            key={segment}
            href={`${href}${query}`}
            aria-current={here ? 'page' : undefined}
            className={cn(
              '-mb-px flex h-10 items-center gap-1.5 border-b-2 border-transparent px-2.5 font-medium whitespace-nowrap text-muted transition-colors duration-150 -outline-offset-2 hover:text-ink',
              here && 'border-accent text-accent hover:text-accent',
            )}
          >
            {text}
            {count !== undefined && <span className="text-xs font-normal text-faint">{count}</span>}
          </Link>
        )
      })}
    </nav>
  )
}
