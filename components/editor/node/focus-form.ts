/** How long a form may take to appear, in milliseconds: at its first time it is loaded. */
const PATIENCE_MS = 3_000

/** Gives the keyboard to the first field of the form of that name, which is being opened. */
export function focusForm(name: string): void {
  const until = performance.now() + PATIENCE_MS
  const before = document.activeElement
  const look = () => {
    const form = [...document.querySelectorAll('[role="region"]')].find(
      (region) => region.getAttribute('aria-label') === name,
    )
    const field = form?.querySelector<HTMLElement>('input, textarea, select')
    if (field != null) field.focus()
    // The focus is not taken from an element that got it meanwhile.
    else if (performance.now() < until && document.activeElement === before) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}
