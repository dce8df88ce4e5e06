import { cn } from './class-names'

/** What something is called, and behind it the id by which other things name it, where that says something else. */
export function NameAndId({
  name,
  id,
  className,
}: {
  name: string
  id: string
  /** Of the name. */
  className?: string
}) {
  return (
    <>
      <span title={name} className={cn('min-w-0 truncate', className)}>
        {name}
      </span>
      {name !== id && (
        <code title={id} className="min-w-0 truncate text-xs text-faint">
          {id}
        </code>
      )}
    </>
  )
}

/** The line below a name: the id, where it says something else, and what kind of thing it is. */
export const idAndKind = (name: string, id: string, kind: string): string =>
  name === id ? kind : `${id} · ${kind}`
