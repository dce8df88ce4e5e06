'use client'

import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import { useId } from 'react'
import { api } from '@/components/api'
import { ChangesList } from '@/components/ui/changes-list'
import { describeDiff, nodeNames } from '@/core/pipeline/diff/describe'
import { useRunPart } from './run-context'

/** Changes that a dialog lists; the comparison of the revisions shows all. */
const LISTED = 8

/** The newest revision of the pipeline of this run, where it is newer than the run's own; else null. */
export function useNewerRevision(): number | null {
  const { id, own } = useRunPart(({ view }) => ({ id: view.pipeline_id, own: view.revision }))
  const { data } = useQuery(
    api.pipelines.get.queryOptions({ pipeline_id: id }, { select: ({ revision }) => revision }),
  )
  return data !== undefined && data > own ? data : null
}

/** A revision of the pipeline of this run: its inputs and the names of its nodes; undefined until it is loaded. */
export function useRevision(revision: number | null) {
  const id = useRunPart(({ view }) => view.pipeline_id)
  const { data } = useQuery(
    api.pipelines.get.queryOptions(
      { pipeline_id: id, ...(revision === null ? {} : { revision }) },
      { enabled: revision !== null, staleTime: Infinity },
    ),
  )
  return revision === null ? undefined : data
}

/** The page that compares two revisions. */
export const comparisonOf = (pipelineId: string, from: number, to: number): string =>
  `/pipelines/${pipelineId}/revisions?from=${from}&to=${to}`

/** Chooses between the revision of this run and the newest, and says what differs. */
export function RevisionChoice({
  newer,
  chosen,
  onChoose,
  where,
}: {
  newer: number
  chosen: number
  onChoose: (revision: number) => void
  /** Where the run goes on, by choice. */
  where: { readonly own: string; readonly newer: string }
}) {
  const name = useId()
  const { pipelineId, own, definition } = useRunPart(({ view, pipeline }) => ({
    pipelineId: view.pipeline_id,
    own: view.revision,
    definition: pipeline.definition,
  }))
  const { data } = useQuery(
    api.pipelines.diff.queryOptions(
      { pipeline_id: pipelineId, from: own, to: newer },
      { staleTime: Infinity },
    ),
  )
  const newest = useRevision(newer)?.definition
  const changes = data === undefined ? [] : describeDiff(data, nodeNames(newest, definition))
  const options = [
    { revision: own, text: `Revision ${own}, as this run`, hint: where.own },
    { revision: newer, text: `Revision ${newer}, the newest`, hint: where.newer },
  ]
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 text-sm font-medium">Revision</legend>
      {options.map(({ revision, text, hint }) => (
        <label
          key={revision}
          className="flex items-start gap-2.5 rounded-md border border-line px-3 py-2 has-checked:border-accent has-checked:bg-[color-mix(in_oklab,var(--accent)_6%,var(--surface))]"
        >
          <input
            type="radio"
            name={name}
            className="mt-1 size-3.5 shrink-0 accent-(--accent)"
            checked={chosen === revision}
            onChange={() => onChoose(revision)}
          />
          <span className="min-w-0">
            {text}
            <span className="block text-xs text-faint">{hint}</span>
          </span>
        </label>
      ))}
      <details className="text-xs text-muted">
        <summary className="w-fit rounded-sm hover:text-accent">
          Revision {newer} is newer: what differs
        </summary>
        <div className="mt-1.5 max-h-60 overflow-y-auto rounded-md border border-line">
          {data !== undefined && changes.length === 0 && (
            <p className="px-4 py-2">Both revisions do the same.</p>
          )}
          <ChangesList changes={changes.slice(0, LISTED)} />
          <p className="flex justify-between gap-3 border-t border-line px-4 py-2 empty:hidden">
            {changes.length > LISTED && <span>and {changes.length - LISTED} more</span>}
            <a
              href={comparisonOf(pipelineId, own, newer)}
              target="_blank"
              rel="noreferrer"
              className="ml-auto inline-flex items-center gap-1 font-medium text-accent hover:underline"
            >
              Open the comparison <ExternalLink aria-hidden className="size-3" />
            </a>
          </p>
        </div>
      </details>
    </fieldset>
  )
}
