'use client'

import { CornerDownRight } from 'lucide-react'
import { Link } from './link'
import { usePathname } from 'next/navigation'
import { memo, useEffect, useRef } from 'react'
import { cn } from './class-names'
import { useListCommands } from './listed-commands'

/** Tabs as links: each is a path segment, so that it can be shared and the back button works. */
export function TabLinks({
  label,
  base,
  tabs,
  className,
}: {
  label: string
  base: string
  /**
   * `segment` is empty for the base path, where the first tab is shown too. `within`: segments that are part
   * of the tab as well.
   */
  tabs: readonly {
    readonly segment: string
    readonly text: string
    readonly count?: number | undefined
    readonly within?: readonly string[]
    /** The query of the link, with its question mark. */
    readonly query?: string
  }[]
  className?: string
}) {
  const path = usePathname()
  const row = useRef<HTMLElement>(null)
  // Where the tabs do not fit side by side, scroll to the open one.
  useEffect(() => {
    row.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [path])
  useListCommands(() =>
    [...(row.current?.querySelectorAll('a') ?? [])].flatMap((link, at) =>
      link.ariaCurrent === null
        ? [
            {
              ...{
                id: `tab ${at}`,
                title: `Open ${tabs[at]?.text ?? ''}`,
                icon: CornerDownRight,
                leads: true as const,
              },
              // As a click: while the server cannot be reached, no link leaves the page.
              run: () => link.click(),
            },
          ]
        : [],
    ),
  )
  return (
    <nav
      ref={row}
      aria-label={label}
      className={cn(
        // On a narrow screen the tabs fade out where there are more of them.
        'flex overflow-x-auto overflow-y-hidden [scrollbar-width:none] border-b border-line bg-surface px-2 max-sm:[mask-image:linear-gradient(to_right,black_calc(100%-32px),transparent)] max-sm:pr-8 lg:px-4',
        className,
      )}
    >
      {tabs.map(({ segment, text, count, within = [], query = '' }, index) => {
        const href = segment === '' ? base : `${base}/${segment}`
        const here =
          path === href || (index === 0 && path === base) || within.some((part) => path === `${base}/${part}`)
        return <Tab key={segment} href={`${href}${query}`} here={here} text={text} count={count} />
      })}
    </nav>
  )
}

/** Memoized: counts change many times a second, and only their tabs are drawn again. */
const Tab = memo(function Tab({
  href,
  here,
  text,
  count,
}: {
  href: string
  here: boolean
  text: string
  count: number | undefined
}) {
  return (
    <Link
      href={href}
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
})
