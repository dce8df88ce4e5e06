'use client'

import type { ReactNode } from 'react'
import { Button } from './button'

/** The button below a list that loads its next page; nothing where there is none. */
export function MoreButton({
  list,
  children = 'More',
}: {
  list: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => Promise<unknown>
  }
  children?: ReactNode
}) {
  if (!list.hasNextPage) return null
  return (
    <div className="mt-3 flex justify-center">
      <Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {children}
      </Button>
    </div>
  )
}
