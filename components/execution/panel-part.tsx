import type { ReactNode } from 'react'

/** A part of the panel of a node: a quiet heading, and what belongs to it. */
export function Part({ title, children, aside }: { title: string; children: ReactNode; aside?: ReactNode }) {
  return (
    <section className="border-b border-line px-4 py-3 last:border-0">
      <div className="mb-1.5 flex items-center">
        <h3 className="text-xs font-semibold tracking-wide text-faint uppercase">{title}</h3>
        <span className="ml-auto text-xs text-faint">{aside}</span>
      </div>
      {children}
    </section>
  )
}
