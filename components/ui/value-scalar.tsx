import { cn } from './class-names'

/**
 * A value that is neither a list nor an object. A long text is cut to `most` characters around the match of `query`, or to its
 * beginning; copying copies all of it.
 */
export function Scalar({
  value,
  most = 2_000,
  query = '',
}: {
  value: unknown
  most?: number
  query?: string
}) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return (
    <span className={cn(typeof value !== 'string' && 'text-(--tint-code-ink)')}>
      {excerpt(text, most, query)}
    </span>
  )
}

function excerpt(text: string, most: number, query: string): string {
  if (text.length <= most) return text
  const found = query === '' ? 0 : text.toLowerCase().indexOf(query.trim().toLowerCase())
  const from = Math.max(0, Math.min(found - most / 2, text.length - most))
  return `${from > 0 ? '…' : ''}${text.slice(from, from + most)}${from + most < text.length ? '…' : ''}`
}
