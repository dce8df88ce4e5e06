'use client'

import { usePathname, useRouter } from 'next/navigation'
import { useEffect, useRef, useState } from 'react'
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
      reportStay()
    })
  })
  return going.current
}

const reportStay = () =>
  toast({
    tone: 'bad',
    title: 'The server cannot be reached',
    text: 'You stay on this page. It continues by itself when the server is back.',
  })

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

type Entry = { readonly index: number }
/** The history of the tab, in browsers that let a page see it. */
type Navigation = EventTarget & { readonly currentEntry: Entry | null }

const navigationOf = (page: object): Navigation | null =>
  'navigation' in page ? ((page.navigation as Navigation | undefined) ?? null) : null

/**
 * Back and forward to a page that this tab has not loaded stay on the page while the server cannot be reached. The router would
 * replace it by an error of the browser. Pages that were loaded are still there.
 */
export function useOfflineHistory(): void {
  const path = usePathname()
  const [loaded] = useState(() => new Set<string>())
  useEffect(() => void loaded.add(path), [loaded, path])
  useEffect(() => {
    const navigation = navigationOf(window)
    const placeNow = () => ({ index: navigation?.currentEntry?.index ?? null, href: window.location.href })
    let [left, here] = [placeNow(), placeNow()]
    /** What the next move in the history means: our own way back, of which the router hears nothing, or one that is allowed. */
    let next: { readonly is: 'return'; readonly from: number } | { readonly is: 'go' } | null = null
    const note = () => {
      left = here
      here = placeNow()
    }
    /** @param by how far the page is that was meant; null: nobody knows */
    const goLater = async (by: number | null) => {
      if (!(await isAnswered())) return reportStay()
      if (by === null) return
      next = { is: 'go' }
      window.history.go(by)
    }
    const move = (event: PopStateEvent) => {
      if (navigation === null) note()
      const meant = next
      next = null
      if (meant?.is === 'return') {
        event.stopImmediatePropagation()
        return void goLater(meant.from)
      }
      const isLoaded = loaded.has(window.location.pathname)
      if (meant?.is === 'go' || isLoaded || tabStream.freshness() !== 'reconnecting') return
      event.stopImmediatePropagation()
      const by = left.index === null || here.index === null ? 0 : left.index - here.index
      if (by !== 0) {
        next = { is: 'return', from: -by }
        return window.history.go(by)
      }
      // Where the browser does not say which way it went, the address alone is put right.
      window.history.pushState(window.history.state, '', left.href)
      void goLater(null)
    }
    navigation?.addEventListener('currententrychange', note)
    window.addEventListener('popstate', move, true)
    return () => {
      navigation?.removeEventListener('currententrychange', note)
      window.removeEventListener('popstate', move, true)
    }
  }, [loaded])
}
