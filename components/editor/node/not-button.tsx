import { cn } from '@/components/ui/class-names'

/** Negates an event. */
export function NotButton({
  what,
  on,
  disabled,
  onToggle,
}: {
  what: string
  on: boolean
  disabled: boolean
  onToggle: () => void
}) {
  return (
    <button
      type="button"
      aria-pressed={on}
      aria-label={`Not ${what}`}
      title={on ? 'It must not have happened' : 'It must have happened'}
      disabled={disabled}
      onClick={onToggle}
      className={cn(
        'h-8 w-9 shrink-0 rounded-md border text-xs font-medium disabled:opacity-55',
        on ? 'border-danger/40 text-danger' : 'border-line text-faint hover:text-ink',
      )}
    >
      not
    </button>
  )
}
