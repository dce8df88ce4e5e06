/** Gives the keyboard to the first field of the form of that name, which is being opened. */
export function focusForm(name: string): void {
  requestAnimationFrame(() => {
    const form = [...document.querySelectorAll('[role="region"]')].find(
      (region) => region.getAttribute('aria-label') === name,
    )
    form?.querySelector<HTMLElement>('input, textarea, select')?.focus()
  })
}
