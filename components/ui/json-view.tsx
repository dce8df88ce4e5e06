import { cn } from './class-names'

/** How much of a value is drawn. The whole value can be copied or downloaded. */
const shownCharacters = 20_000

/** A value as indented JSON, or text unchanged. Long values are cut with a note. */
export function JsonView({ value, className }: { value: unknown; className?: string }) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'null')
  const cut = text.length > shownCharacters
  return (
    <pre
      tabIndex={0}
      className={cn(
        'max-h-80 max-sm:max-h-52 overflow-auto rounded-md border border-line bg-sunken px-3 py-2 text-xs leading-5 break-words whitespace-pre-wrap text-ink',
        className,
      )}
    >
      {cut ? text.slice(0, shownCharacters) : text}
      {cut && <span className="text-faint">{`\n… ${text.length - shownCharacters} more characters`}</span>}
    </pre>
  )
}
