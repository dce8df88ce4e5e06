'use client'

import { Menu as MenuIcon, Search } from 'lucide-react'
import { Link } from '@/components/ui/link'
import { useState, type ReactNode } from 'react'
import { api, useRenewed } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Kbd } from '@/components/ui/copyable'
import { useCutText } from '@/components/ui/cut-text'
import { Dialog } from '@/components/ui/dialog'
import { AccountMenu } from './account-menu'
import { FreshnessMark } from './freshness'
import { Mark } from './mark'
import { Navigation } from './navigation'
import { Palette } from './palette'
import { SetSecret } from './set-secret'
import { ShortcutList, useShortcuts } from './shortcuts'
import { useOfflineHistory, useOfflineLinks } from './offline-navigation'

/** The frame of every page behind the sign-in: navigation, palette, shortcuts, freshness. */
export function Shell({ children }: { children: ReactNode }) {
  const [menu, setMenu] = useState(false)
  const [palette, setPalette] = useState(false)
  const [shortcuts, setShortcuts] = useState(false)
  const [secret, setSecret] = useState(false)
  useRenewed(['executions', 'approvals'], [api.executions.list.pathKey(), api.approvals.pathKey()])
  useCutText()
  useOfflineLinks()
  useOfflineHistory()
  useShortcuts({
    palette: () => {
      // Over a form that waits for an answer no command may run.
      if (!palette && !shortcuts && isDialogOpen()) return
      setShortcuts(false)
      setPalette(!palette)
    },
    list: () => setShortcuts(true),
  })

  return (
    <div className="min-h-dvh lg:pl-56">
      <a
        href="#main"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-accent px-3 py-2 font-medium text-on-accent focus:translate-y-0"
      >
        Skip to the content
      </a>

      <div
        role="banner"
        className="fixed inset-y-0 left-0 hidden w-56 flex-col border-r border-line bg-surface p-3 lg:flex"
      >
        <Brand />
        <Button className="mb-3 w-full justify-start text-faint" onClick={() => setPalette(true)}>
          <Search aria-hidden />
          <span className="font-normal">Find or do…</span>
          <span className="ml-auto">
            <Kbd>Ctrl K</Kbd>
          </span>
        </Button>
        <Navigation />
        <div className="mt-auto flex flex-col gap-2">
          <div className="flex items-center justify-between">
            <FreshnessMark />
            <Button tone="quiet" size="icon" onClick={() => setShortcuts(true)}>
              <span aria-hidden>
                <Kbd>?</Kbd>
              </span>
              <span className="sr-only">Shortcuts</span>
            </Button>
          </div>
          <div className="border-t border-line pt-2">
            <AccountMenu />
          </div>
        </div>
      </div>

      <div
        role="banner"
        className="sticky top-0 z-30 flex h-12 items-center gap-2 border-b border-line bg-surface px-3 lg:hidden"
      >
        <Button tone="quiet" size="icon" aria-label="Menu" onClick={() => setMenu(true)}>
          <MenuIcon aria-hidden />
        </Button>
        <Mark className="size-6" />
        <span className="text-base font-semibold">Penstock</span>
        <span className="ml-auto">
          <FreshnessMark />
        </span>
        <Button tone="quiet" size="icon" aria-label="Commands" onClick={() => setPalette(true)}>
          <Search aria-hidden />
        </Button>
      </div>
      <Dialog open={menu} onOpenChange={setMenu} title="Penstock" side="left">
        <div className="flex flex-1 flex-col gap-3 px-3 pb-3">
          <Navigation onGo={() => setMenu(false)} />
          <div className="mt-auto border-t border-line pt-2">
            <AccountMenu />
          </div>
        </div>
      </Dialog>

      <main id="main" tabIndex={-1} className="outline-none">
        {children}
      </main>
      <Palette
        open={palette}
        onOpenChange={setPalette}
        shortcuts={() => setShortcuts(true)}
        secret={() => setSecret(true)}
      />
      <ShortcutList open={shortcuts} onOpenChange={setShortcuts} />
      <SetSecret open={secret} onOpenChange={setSecret} />
    </div>
  )
}

const isDialogOpen = () => document.querySelector('[role$="dialog"][data-state="open"]') !== null

function Brand() {
  return (
    <Link href="/" className="mb-3 flex h-10 items-center gap-2.5 rounded-md px-1.5">
      <Mark className="size-7" />
      <span className="text-lg font-semibold tracking-[-0.01em]">Penstock</span>
    </Link>
  )
}
