'use client'

import { useQuery } from '@tanstack/react-query'
import { Gauge, HeartPulse, Layers, ListTree, PlaySquare, UserCheck, type LucideIcon } from 'lucide-react'
import { Link } from '@/components/ui/link'
import { usePathname } from 'next/navigation'
import { api } from '@/components/api'
import { cn } from '@/components/ui/class-names'

export type Page = {
  readonly href: string
  readonly label: string
  readonly icon: LucideIcon
  readonly keys: string
}

/** The main pages, in the order of the navigation. `keys` is typed after `g`. */
export const pages: readonly Page[] = [
  { href: '/', label: 'Overview', icon: Gauge, keys: 'o' },
  { href: '/pipelines', label: 'Pipelines', icon: ListTree, keys: 'p' },
  { href: '/executions', label: 'Executions', icon: PlaySquare, keys: 'e' },
  { href: '/approvals', label: 'Approvals', icon: UserCheck, keys: 'a' },
  { href: '/queue', label: 'Queue', icon: Layers, keys: 'q' },
  { href: '/health', label: 'Health', icon: HeartPulse, keys: 'h' },
]

/** The server counts no further. */
const MOST_COUNTED = 100

const countText = (count: number): string => (count < MOST_COUNTED ? `${count}` : `${MOST_COUNTED - 1}+`)

export function Navigation({ onGo }: { onGo?: () => void }) {
  const path = usePathname()
  const { data } = useQuery(api.approvals.count.queryOptions({}))
  return (
    <nav aria-label="Main" className="flex flex-col gap-0.5">
      {pages.map(({ href, label, icon: Icon }) => {
        const here = href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`)
        const count = href === '/approvals' ? (data?.mine ?? 0) : 0
        return (
          <Link
            key={href}
            href={href}
            {...(onGo === undefined ? {} : { onClick: onGo })}
            aria-current={here ? 'page' : undefined}
            className={cn(
              'flex h-9 items-center gap-2.5 rounded-md px-2.5 font-medium text-muted transition-colors duration-150 hover:bg-sunken hover:text-ink',
              here && 'bg-accent-soft text-accent hover:bg-accent-soft hover:text-accent',
            )}
          >
            <Icon aria-hidden className="size-4 shrink-0" />
            {label}
            {count > 0 && (
              <span
                data-status="waiting"
                className="status-tint status-ink ml-auto rounded-full px-2 text-xs leading-5 font-semibold"
                aria-label={`${countText(count)} waiting for you`}
              >
                {countText(count)}
              </span>
            )}
          </Link>
        )
      })}
    </nav>
  )
}
