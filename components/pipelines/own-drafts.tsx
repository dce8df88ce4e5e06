'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { PencilLine } from 'lucide-react'
import { Link } from '@/components/ui/link'
import { useState } from 'react'
import { api, problemOf } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Dialog } from '@/components/ui/dialog'
import { NameAndId } from '@/components/ui/name-and-id'
import { RelativeTime } from '@/components/ui/time'
import { toast } from '@/components/ui/toast'

/** The user's unpublished drafts, to open or to discard. Nothing where there are none, or the user may not edit. */
export function OwnDrafts({ mayEdit }: { mayEdit: boolean }) {
  const queries = useQueryClient()
  const { data } = useQuery(
    api.drafts.list.queryOptions({ limit: 250 }, { enabled: mayEdit, refetchOnMount: 'always' }),
  )
  const [discarding, setDiscarding] = useState<{ id: string; version: number } | null>(null)
  const remove = useMutation(
    api.drafts.remove.mutationOptions({
      onSuccess: () => toast({ tone: 'good', title: 'The draft was discarded' }),
      onError: (error) =>
        toast({ tone: 'bad', title: 'The draft could not be discarded', text: problemOf(error).message }),
      onSettled: () => {
        setDiscarding(null)
        void queries.invalidateQueries({ queryKey: api.drafts.pathKey() })
        void queries.invalidateQueries({ queryKey: api.pipelines.pathKey() })
      },
    }),
  )
  const drafts = data?.items ?? []
  if (drafts.length === 0) return null
  return (
    <Card title="Your drafts" count={drafts.length} className="mb-4">
      <ul>
        {drafts.map(({ pipeline_id: id, name, base_revision: base, updated_at: at, version }) => (
          <li
            key={id}
            className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2 last:border-0"
          >
            <PencilLine aria-hidden className="size-4 shrink-0 text-faint" />
            <span className="flex min-w-0 flex-1 flex-col gap-x-3 max-sm:basis-3/4 sm:flex-row sm:items-baseline">
              <NameAndId name={name ?? id} id={id} className="font-medium" />
              <span className="text-xs text-faint">
                {base === 0 ? 'not published yet' : `based on revision ${base}`}, changed{' '}
                <RelativeTime at={at} />
              </span>
            </span>
            <Button asChild size="small">
              <Link href={`/pipelines/${id}`} aria-label={`Continue ${id}`}>
                Continue
              </Link>
            </Button>
            <Button
              size="small"
              tone="quiet"
              aria-label={`Discard… the draft of ${id}`}
              onClick={() => setDiscarding({ id, version })}
            >
              Discard…
            </Button>
          </li>
        ))}
      </ul>
      <Dialog
        open={discarding !== null}
        onOpenChange={(open) => {
          if (!open) setDiscarding(null)
        }}
        title="Discard the draft?"
        description={`Your draft of ${discarding?.id ?? ''} is deleted. Published revisions stay.`}
      >
        <div className="flex justify-end gap-2 border-t border-line px-5 py-3">
          <Button onClick={() => setDiscarding(null)}>Keep it</Button>
          <Button
            tone="danger"
            disabled={remove.isPending}
            onClick={() =>
              discarding !== null &&
              remove.mutate({ pipeline_id: discarding.id, if_match: discarding.version })
            }
          >
            Discard the draft
          </Button>
        </div>
      </Dialog>
    </Card>
  )
}
