'use client'

import { artifactUrl } from '@/components/api'
import { Link } from '@/components/ui/link'
import { FileOutput } from 'lucide-react'
import { useRunPart } from './run-context'
import { useArtifacts } from './run-reading'

/** Files that are named in the header of a run; the others are counted. */
const NAMED = 3

/** What an ended run has produced: its latest files, and a link to all of them. Nothing where there are none. */
export function RunFiles() {
  const { id: run, over } = useRunPart(({ view }) => ({
    id: view.execution_id,
    over: view.finished_at !== null,
  }))
  const { data } = useArtifacts()
  const files = data?.items ?? []
  if (!over || files.length === 0) return null
  const latest = files.toSorted((a, b) => b.created_at.localeCompare(a.created_at)).slice(0, NAMED)
  return (
    <nav aria-label="Files of the run" className="mt-2 flex min-w-0 items-center gap-x-3 text-xs">
      <FileOutput aria-hidden className="size-4 shrink-0 text-faint" />
      {latest.map(({ artifact_id: id, name }) => (
        <a
          key={id}
          href={artifactUrl(run, id)}
          target="_blank"
          rel="noreferrer"
          className="min-w-0 truncate rounded-sm font-medium text-accent hover:underline"
        >
          {name}
          <span className="sr-only"> (opens in a new tab)</span>
        </a>
      ))}
      {files.length > latest.length && (
        <Link
          href={`/executions/${run}/artifacts`}
          className="shrink-0 rounded-sm text-muted hover:text-accent"
        >
          All {files.length} files
        </Link>
      )}
    </nav>
  )
}
