import type { ReactNode } from 'react'

/** The header of a page: its title, one line that says what it is for, and its primary action. */
export function PageHeader({
  title,
  lead,
  action,
}: {
  title: ReactNode
  lead?: ReactNode
  action?: ReactNode
}) {
  return (
    <header className="mb-6 flex flex-wrap items-start gap-x-6 gap-y-3">
      <div className="min-w-0">
        <h1 className="text-xl font-semibold tracking-[-0.01em]">{title}</h1>
        {lead !== undefined && <p className="mt-0.5 max-w-[72ch] text-muted">{lead}</p>}
      </div>
      {action !== undefined && <div className="ml-auto flex items-center gap-2">{action}</div>}
    </header>
  )
}
