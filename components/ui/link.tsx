'use client'

import NextLink from 'next/link'
import { useState, type ComponentProps } from 'react'

/**
 * A link within the product. Its page is prefetched when the pointer or the focus reaches it, and not before: a list of a hundred links
 * prefetches nothing, and a page that opens does not compete with prefetches.
 */
export function Link({ onPointerEnter, onFocus, ...rest }: ComponentProps<typeof NextLink>) {
  const [near, setNear] = useState(false)
  return (
    <NextLink
      {...rest}
      prefetch={near ? null : false}
      onPointerEnter={(event) => {
        setNear(true)
        onPointerEnter?.(event)
      }}
      onFocus={(event) => {
        setNear(true)
        onFocus?.(event)
      }}
    />
  )
}
