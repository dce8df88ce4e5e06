import { startTransition, useLayoutEffect, useState } from 'react'

/**
 * The value a frame after it changed, so that the parts of a large page change in frames of their own. A value of another `whole` is
 * shown at once: it does not belong with what else is shown.
 */
export function useFrameLater<T>(value: T, whole: unknown): T {
  const [shown, setShown] = useState({ value, whole })
  useLayoutEffect(() => {
    const frame = requestAnimationFrame(() =>
      startTransition(() =>
        setShown((now) => (now.value === value && now.whole === whole ? now : { value, whole })),
      ),
    )
    return () => cancelAnimationFrame(frame)
  }, [value, whole])
  return shown.whole === whole ? shown.value : value
}
