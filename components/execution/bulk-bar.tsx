'use client'

import { useMutation } from '@tanstack/react-query'
import { CircleStop, GitCompareArrows, RotateCcw, X } from 'lucide-react'
import { useState } from 'react'
import { api, client, problemOf, queryClient, type ExecutionSummary } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field, Textarea } from '@/components/ui/field'
import { Link } from '@/components/ui/link'
import { toast } from '@/components/ui/toast'
import { inTurn } from './in-turn'

type Deed = 'cancel' | 'rerun'

const deeds = {
  cancel: {
    fits: ({ finished_at }: ExecutionSummary) => finished_at === null,
    button: 'Cancel',
    title: (count: number) => `Cancel ${runs(count)}?`,
    description:
      'What is running is told to end, nothing new starts, and finally nodes still run. This cannot be undone.',
    busy: 'Cancelling',
    done: (count: number) => `${runs(count)} ${count === 1 ? 'is' : 'are'} being cancelled`,
  },
  rerun: {
    fits: ({ status }: ExecutionSummary) => status === 'failed',
    button: 'Rerun failed of',
    title: (count: number) => `Rerun what failed in ${runs(count)}?`,
    description:
      'In each of them, the nodes that failed and what follows them are done again, in the same run.',
    busy: 'Resetting',
    done: (count: number) => `${runs(count)} ${count === 1 ? 'goes' : 'go'} on`,
  },
} as const

const runs = (count: number): string => (count === 1 ? 'one run' : `${count} runs`)
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/**
 * What can be done with all runs that are chosen in a list; each deed with those that it fits. What was asked for is seen through, though
 * the list may show none of them any more.
 */
export function BulkBar({
  chosen,
  mayOperate,
  onForget,
}: {
  chosen: readonly ExecutionSummary[]
  /** Without that right they can only be compared. */
  mayOperate: boolean
  /** These are chosen no longer. */
  onForget: (ids: readonly string[]) => void
}) {
  const [asked, setAsked] = useState<{ deed: Deed; ids: readonly string[] } | null>(null)
  return (
    <>
      {chosen.length > 0 && (
        <Chosen
          chosen={chosen}
          mayOperate={mayOperate}
          onAsk={(deed, ids) => setAsked({ deed, ids })}
          onClear={() => onForget(chosen.map(({ execution_id }) => execution_id))}
        />
      )}
      {asked !== null && (
        <BulkDialog {...asked} onClose={() => setAsked(null)} onDone={() => onForget(asked.ids)} />
      )}
    </>
  )
}

function Chosen({
  chosen,
  mayOperate,
  onAsk,
  onClear,
}: {
  chosen: readonly ExecutionSummary[]
  mayOperate: boolean
  onAsk: (deed: Deed, ids: readonly string[]) => void
  onClear: () => void
}) {
  // The later one is held against the earlier.
  const [earlier, later] = chosen.toSorted((a, b) => a.created_at.localeCompare(b.created_at))
  const offered = (mayOperate ? (['cancel', 'rerun'] as const) : [])
    .map((deed) => ({
      deed,
      ids: chosen.filter(deeds[deed].fits).map(({ execution_id }) => execution_id),
    }))
    .filter(({ ids }) => ids.length > 0)
  return (
    <div
      role="region"
      aria-label="Chosen runs"
      className="sticky bottom-3 z-20 mt-3 flex flex-wrap items-center gap-2 rounded-lg border border-line-strong bg-surface px-4 py-2 shadow-raised"
    >
      <span className="mr-auto font-medium max-sm:-order-2 max-sm:basis-[calc(100%-3rem)]" role="status">
        {capital(runs(chosen.length))} chosen
      </span>
      {chosen.length === 2 && earlier !== undefined && later !== undefined && (
        <Button asChild>
          <Link href={`/executions/${later.execution_id}/compare?with=${earlier.execution_id}`}>
            <GitCompareArrows aria-hidden /> Compare
          </Link>
        </Button>
      )}
      {offered.length === 0 && mayOperate && chosen.length !== 2 && (
        <span className="text-muted">None of them can be cancelled, and none has failed.</span>
      )}
      {offered.map(({ deed, ids }) => {
        const Icon = deed === 'cancel' ? CircleStop : RotateCcw
        return (
          <Button key={deed} tone={deed === 'cancel' ? 'danger' : 'plain'} onClick={() => onAsk(deed, ids)}>
            <Icon aria-hidden /> {deeds[deed].button} {ids.length}…
          </Button>
        )
      })}
      <Button tone="quiet" size="icon" className="max-sm:-order-1" aria-label="Choose none" onClick={onClear}>
        <X aria-hidden />
      </Button>
    </div>
  )
}

function BulkDialog({
  deed,
  ids,
  onClose,
  onDone,
}: {
  deed: Deed
  ids: readonly string[]
  onClose: () => void
  onDone: () => void
}) {
  const { title, description, busy, done } = deeds[deed]
  const [reason, setReason] = useState('')
  const [progress, setProgress] = useState(0)
  const work = useMutation({
    mutationFn: () =>
      inTurn(
        ids,
        (execution_id) =>
          deed === 'cancel'
            ? client.executions.cancel.mutate({
                execution_id,
                ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
              })
            : client.executions.rerun.mutate({ execution_id, nodes: 'failed' }),
        setProgress,
      ),
    onSuccess: (failures) => {
      if (failures.length > 0) return
      toast({ tone: 'good', title: capital(done(ids.length)) })
      onClose()
      onDone()
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: api.executions.list.pathKey() }),
  })
  const failures = work.data ?? []
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        // Half of them are done already: whoever began sees it through.
        if (!open && !work.isPending) onClose()
      }}
      title={title(ids.length)}
      description={description}
    >
      <form
        className="flex flex-col gap-4 overflow-y-auto px-5 pb-5"
        onSubmit={(event) => {
          event.preventDefault()
          if (failures.length === 0) return work.mutate()
          onClose()
          onDone()
        }}
      >
        {deed === 'cancel' && failures.length === 0 && (
          <Field id="bulk-reason" label="Reason" hint="Kept in the record of each run.">
            <Textarea
              id="bulk-reason"
              aria-describedby="bulk-reason-hint"
              maxLength={2000}
              autoFocus
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
          </Field>
        )}
        {failures.length > 0 && (
          <div role="alert">
            <p className="font-medium text-danger">
              {failures.length} of {ids.length} could not be changed
              {failures.length < ids.length && '; all others were'}.
            </p>
            <ul className="mt-2 flex max-h-48 flex-col gap-1 overflow-y-auto text-xs">
              {failures.map(({ of, error }) => (
                <li key={of}>
                  <code>{of}</code> {problemOf(error).message}
                </li>
              ))}
            </ul>
          </div>
        )}
        <div className="flex items-center justify-end gap-2">
          {work.isPending && (
            <span role="status" className="mr-auto text-muted">
              {busy} {progress} of {ids.length}…
            </span>
          )}
          {failures.length > 0 ? (
            <Button type="submit" tone="primary">
              Close
            </Button>
          ) : (
            <>
              <Button disabled={work.isPending} onClick={onClose}>
                Leave {ids.length === 1 ? 'it' : 'them'}
              </Button>
              <Button
                type="submit"
                tone={deed === 'cancel' ? 'danger' : 'primary'}
                disabled={work.isPending}
                autoFocus={deed === 'rerun'}
              >
                {deed === 'cancel' ? 'Cancel' : 'Rerun'} {runs(ids.length)}
              </Button>
            </>
          )}
        </div>
      </form>
    </Dialog>
  )
}
