'use client'

import type { ReactNode } from 'react'
import { Button } from './button'

/** Under a list that is read page by page: the next page; nothing when there is none. */
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
