import type { LucideIcon } from 'lucide-react'
import { useRef, useState } from 'react'
import { createListing } from './listed'

/** A command of the page that the palette offers. */
export type PageCommand = {
  /** Unique among the commands of its component. */
  readonly id: string
  readonly title: string
  readonly icon?: LucideIcon
  /** As they are shown. */
  readonly keys?: readonly string[]
  /** It only opens another part of the page: after those that do something. */
  readonly leads?: true
  readonly run: () => void
}

const [useList, useListed] = createListing<() => readonly PageCommand[]>()

/** Offers commands while the calling component is mounted. `commands` is asked when the palette opens, and answers what can be done then. */
export function useListCommands(commands: () => readonly PageCommand[]): void {
  const latest = useRef(commands)
  latest.current = commands
  const [stable] = useState(() => () => latest.current())
  useList(stable)
}

/** The commands of the page, of the components that came last first. */
export const useListedCommands = (): readonly (() => readonly PageCommand[])[] => useListed().toReversed()
