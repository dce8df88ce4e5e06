import { ExternalLink } from 'lucide-react'
import { artifactUrl } from '@/components/api'
import { bytesText } from '@/components/ui/times'
import { filesIn } from './files-in'

/** Links to the files that are among values, each with the name of its value. Nothing where there are none. */
export function FileLinks({
  executionId,
  values,
  label,
}: {
  executionId: string
  values: { readonly [name: string]: unknown }
  label: string
}) {
  const files = filesIn(values)
  if (files.length === 0) return null
  return (
    <ul aria-label={label} className="mb-3 flex flex-col gap-1">
      {files.map(({ value, id, name, bytes }) => (
        <li key={`${value} ${id}`} className="flex min-w-0 items-baseline gap-2">
          <span className="shrink-0 font-mono text-xs text-muted">{value}</span>
          <a
            href={artifactUrl(executionId, id)}
            target="_blank"
            rel="noreferrer"
            className="inline-flex min-w-0 items-center gap-1.5 font-medium text-accent hover:underline"
          >
            <span className="truncate">{name}</span>
            <ExternalLink aria-hidden className="size-3.5 shrink-0" />
            <span className="sr-only">(opens in a new tab)</span>
          </a>
          {bytes !== null && <span className="ml-auto shrink-0 text-xs text-faint">{bytesText(bytes)}</span>}
        </li>
      ))}
    </ul>
  )
}
