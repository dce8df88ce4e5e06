import { Minus, Move, Pencil, Plus, TextCursorInput } from 'lucide-react'
import type { FieldChange } from '@/core/pipeline/diff/diff'
import type { DescribedChange } from '@/core/pipeline/diff/describe'
import { cn } from './class-names'

const signs = {
  added: { icon: Plus, ink: 'text-completed' },
  removed: { icon: Minus, ink: 'text-failed' },
  changed: { icon: Pencil, ink: 'text-warning' },
  renamed: { icon: TextCursorInput, ink: 'text-warning' },
  moved: { icon: Move, ink: 'text-faint' },
} as const

/** How much of a value is shown. Where both values begin the same, the difference may come after it. */
const MOST_SHOWN = 2_000

/** The differences between two definitions: a line for each, with the old and new values of its fields. */
export function ChangesList({
  changes,
  onChoose,
  className,
}: {
  changes: readonly DescribedChange[]
  /** Makes the lines of nodes buttons. */
  onChoose?: (nodeId: string) => void
  className?: string
}) {
  return (
    <ul aria-label="Changes" className={cn('divide-y divide-line', className)}>
      {changes.map((change) => {
        const { icon: Icon, ink } = signs[change.kind]
        const line = (
          <>
            <Icon aria-hidden className={cn('size-3.5 shrink-0', ink)} />
            <span className="min-w-0 truncate">{change.text}</span>
          </>
        )
        const look = 'flex min-h-8 w-full items-center gap-2 py-1 text-left text-sm font-medium'
        return (
          <li key={`${change.what} ${change.id} ${change.kind}`} className="px-4 py-1">
            {onChoose !== undefined && change.what === 'node' ? (
              <button
                type="button"
                className={cn(look, 'rounded-sm hover:text-accent')}
                onClick={() => onChoose(change.id)}
              >
                {line}
              </button>
            ) : (
              <div className={look}>{line}</div>
            )}
            {change.fields.length > 0 && <FieldChanges fields={change.fields} className="mb-2 pl-5.5" />}
          </li>
        )
      })}
    </ul>
  )
}

/** Changed fields, each with its old and new value. */
export function FieldChanges({ fields, className }: { fields: readonly FieldChange[]; className?: string }) {
  return (
    <dl className={cn('flex flex-col gap-2', className)}>
      {fields.map((field) => (
        <Field key={field.path.join('.')} field={field} />
      ))}
    </dl>
  )
}

function Field({ field: { path, before, after } }: { field: FieldChange }) {
  return (
    <div className="min-w-0">
      <dt className="font-mono text-[11px] text-faint">{path.join(' · ')}</dt>
      <dd className="mt-0.5 grid gap-px overflow-hidden rounded-md border border-line font-mono text-xs">
        {before !== undefined && (
          <del className="max-h-48 overflow-auto bg-[color-mix(in_oklab,var(--failed)_7%,var(--surface))] px-2 py-1 break-words whitespace-pre-wrap no-underline">
            <span className="sr-only">before: </span>
            <span aria-hidden className="mr-2 text-failed select-none">
              −
            </span>
            {shown(before)}
          </del>
        )}
        {after !== undefined && (
          <ins className="max-h-48 overflow-auto bg-[color-mix(in_oklab,var(--completed)_8%,var(--surface))] px-2 py-1 break-words whitespace-pre-wrap no-underline">
            <span className="sr-only">after: </span>
            <span aria-hidden className="mr-2 text-completed select-none">
              +
            </span>
            {shown(after)}
          </ins>
        )}
      </dd>
    </div>
  )
}

function shown(value: unknown): string {
  const text = typeof value === 'string' && value !== '' ? value : JSON.stringify(value, null, 1)
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)} …` : text
}
