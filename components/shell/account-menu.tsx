'use client'

import { useMutation } from '@tanstack/react-query'
import { LogOut, Monitor, Moon, Sun } from 'lucide-react'
import { useTheme } from 'next-themes'
import { api, queryClient, useWhoami } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Menu, MenuChoice, MenuItem, MenuLabel, MenuLine } from '@/components/ui/menu'

const themes = [
  { value: 'light', label: 'Light', icon: <Sun aria-hidden /> },
  { value: 'dark', label: 'Dark', icon: <Moon aria-hidden /> },
  { value: 'system', label: 'As the system', icon: <Monitor aria-hidden /> },
] as const

/** Who is signed in, the theme, and the way out. */
export function AccountMenu() {
  const who = useWhoami()
  const { theme, setTheme } = useTheme()
  const signOut = useMutation(
    api.session.signOut.mutationOptions({
      onSettled: () => {
        queryClient.clear()
        window.location.assign('/sign-in')
      },
    }),
  )
  const name = who?.name ?? '…'
  return (
    <Menu
      align="start"
      trigger={
        <Button tone="quiet" className="h-10 w-full justify-start px-2">
          <span
            aria-hidden
            className="grid size-6 place-items-center rounded-full bg-accent-soft text-xs font-semibold text-accent uppercase"
          >
            {name.slice(0, 1)}
          </span>
          <span className="min-w-0 truncate text-left">
            <span className="block truncate text-ink">
              <span className="sr-only">Account of </span>
              {name}
            </span>
          </span>
        </Button>
      }
    >
      {who !== undefined && who.roles.length > 0 && <MenuLabel>Your roles: {who.roles.join(', ')}</MenuLabel>}
      <MenuLine />
      <MenuLabel>Theme</MenuLabel>
      <MenuChoice
        value={(theme ?? 'system') as 'light' | 'dark' | 'system'}
        onChange={setTheme}
        options={themes}
      />
      <MenuLine />
      <MenuItem onSelect={() => signOut.mutate()}>
        <LogOut aria-hidden /> Sign out
      </MenuItem>
    </Menu>
  )
}
