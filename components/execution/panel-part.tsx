import type { ReactNode } from 'react'

/** A section of the panel of a node. `note` is shown at the right of its title. */
export function Part({ title, children, note }: { title: string; children: ReactNode; note?: ReactNode }) {
  return (
    <section className="border-b border-line px-4 py-3 last:border-0">
      <div className="mb-1.5 flex items-center">
        <h3 className="text-xs font-semibold tracking-wide text-faint uppercase">{title}</h3>
        <span className="ml-auto text-xs text-faint">{note}</span>
      </div>
      {children}
    </section>
  )
}
