'use client'

import NextLink from 'next/link'
import { useState, type ComponentProps } from 'react'

/**
 * A link within the product. What it leads to is loaded ahead once somebody comes near it, by pointer or keyboard: a list of a hundred links
 * asks for none of them, and a page that opens has the line to itself.
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
