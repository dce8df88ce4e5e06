'use client'

import { useEffect, useState } from 'react'

/** True once `on` has held for `ms` milliseconds: what is over in a moment is not worth a word. */
export function useLate(on: boolean, ms: number): boolean {
  const [late, setLate] = useState(false)
  useEffect(() => {
    if (!on) return
    const timer = setTimeout(() => setLate(true), ms)
    return () => {
      clearTimeout(timer)
      setLate(false)
    }
  }, [on, ms])
  return on && late
}
