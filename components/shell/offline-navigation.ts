'use client'

import { useRouter } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { isAnswered, tabStream } from '@/components/api'
import { toast } from '@/components/ui/toast'

/** The page of the product that a click opens in this tab; null: none. */
function leadsTo(event: MouseEvent): string | null {
  if (event.defaultPrevented || event.button !== 0) return null
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return null
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (link === null || !link.hasAttribute('href') || link.target !== '' || link.hasAttribute('download'))
    return null
  const { origin, pathname, search, hash } = new URL(link.href)
  if (origin !== window.location.origin || (hash !== '' && pathname === window.location.pathname)) return null
  return pathname + search + hash
}

/**
 * Opens a page if the server answers, and else stays: for a page that cannot be loaded, the router would replace the current one by
 * an error of the browser. `useOfflineLinks` does the same for links.
 */
export function useNavigate(): (href: string) => void {
  const router = useRouter()
  const going = useRef((href: string) => {
    if (tabStream.freshness() !== 'reconnecting') return router.push(href)
    void isAnswered().then((answered) => {
      if (answered) return router.push(href)
      toast({
        tone: 'bad',
        title: 'The server cannot be reached',
        text: 'You stay on this page. It continues by itself when the server is back.',
      })
    })
  })
  return going.current
}

/** While the server cannot be reached, no link of the page leaves it. */
export function useOfflineLinks(): void {
  const go = useNavigate()
  useEffect(() => {
    const press = (event: MouseEvent) => {
      if (tabStream.freshness() !== 'reconnecting') return
      const href = leadsTo(event)
      if (href === null) return
      event.preventDefault()
      event.stopPropagation()
      go(href)
    }
    window.addEventListener('click', press, true)
    return () => window.removeEventListener('click', press, true)
  }, [go])
}
