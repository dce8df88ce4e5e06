'use client'

import { useQuery } from '@tanstack/react-query'
import { CircleAlert, GitMerge, History, X } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { api } from '@/components/api'
import { useDraft } from '@/components/editor/editor-context'
import { useSession } from '@/components/editor/session-context'
import { Button } from '@/components/ui/button'
import { RelativeTime } from '@/components/ui/time'
import { toast } from '@/components/ui/toast'
import { isDirty } from '@/components/editor/model/draft/draft'

/** What is to be known of the draft before one goes on with it: that it is an old one, or that others have published since. */
export function DraftNotes() {
  const { pipelineId, found } = useSession()
  const [closed, setClosed] = useState(false)
  const dirty = useDraft(isDirty)
  const base = useDraft(({ saved }) => saved.revision)
  const { data } = useQuery(api.pipelines.open.queryOptions({ pipeline_id: pipelineId }))
  const current = data?.pipeline ?? null
  return (
    <>
      {current !== null && current.revision > base && dirty && <Newer {...current} />}
      {data !== undefined && current === null && base > 0 && <Deleted />}
      {found !== null && !closed && dirty && base > 0 && base === found.base && (
        <Strip icon={<History aria-hidden className="size-4 shrink-0 text-faint" />}>
          <span>
            Your draft of <RelativeTime at={found.at} />, based on revision {found.base}
          </span>
          <Discard />
          <Button
            tone="quiet"
            size="icon"
            className="size-7"
            aria-label="Close this note"
            onClick={() => setClosed(true)}
          >
            <X aria-hidden />
          </Button>
        </Strip>
      )}
    </>
  )
}

function Strip({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <div
      role="note"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-sunken px-4 py-1 text-xs"
    >
      {icon}
      {children}
    </div>
  )
}

function Newer({
  revision,
  created_by: by,
  note,
}: {
  revision: number
  created_by: string
  note: string | null
}) {
  return (
    <Strip icon={<GitMerge aria-hidden className="size-4 shrink-0 text-warning" />}>
      <span className="min-w-0 break-words">
        {by} published revision {revision}
        {note === null ? '' : `: “${note}”`}
      </span>
      <BringIn>Merge it</BringIn>
    </Strip>
  )
}

/** Merges the current revision into the draft. */
function BringIn({ children }: { children: ReactNode }) {
  const { autosave } = useSession()
  return (
    <Button
      size="small"
      onClick={() =>
        void autosave.takeRevision().then((reached) => {
          if (!reached) toast({ tone: 'bad', title: 'The server cannot be reached' })
        })
      }
    >
      {children}
    </Button>
  )
}

function Deleted() {
  return (
    <Strip icon={<CircleAlert aria-hidden className="size-4 shrink-0 text-warning" />}>
      <span className="min-w-0 break-words">
        This pipeline was deleted. You can publish your draft as a new pipeline.
      </span>
      <BringIn>Keep it as a draft</BringIn>
    </Strip>
  )
}

/** Replaces the draft by its revision, as a step that can be undone. */
function Discard() {
  const { stores } = useSession()
  return (
    <Button
      size="small"
      onClick={() => {
        const { saved } = stores.draft.getState()
        stores.draft.replace('Discard the draft', saved.text)
        toast({ tone: 'good', title: 'The draft was discarded', text: 'Undo brings it back.' })
      }}
    >
      Discard
    </Button>
  )
}
