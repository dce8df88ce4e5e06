'use client'

import { useMutation } from '@tanstack/react-query'
import {
  CircleStop,
  GitCompareArrows,
  Pause,
  Play,
  Repeat,
  RotateCcw,
  X,
  type LucideIcon,
} from 'lucide-react'
import { useState } from 'react'
import { api, client, problemOf, queryClient, type ExecutionSummary } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field, Textarea } from '@/components/ui/field'
import { Link } from '@/components/ui/link'
import { toast } from '@/components/ui/toast'
import { BULK_ACTIONS, bulkOffers, capital, runsText, type BulkAction, type Offer } from './bulk-actions'
import { inTurn, type Failure } from './in-turn'

/**
 * The actions for the runs that are chosen in a list. An action that was begun goes on for all of its runs, even when the list no longer
 * shows them.
 */
export function BulkBar({
  chosen,
  mayOperate,
  onForget,
}: {
  chosen: readonly ExecutionSummary[]
  /** Without the right to operate, runs can only be compared. */
  mayOperate: boolean
  /** Removes these from the chosen runs. */
  onForget: (ids: readonly string[]) => void
}) {
  const [offer, setOffer] = useState<Offer | null>(null)
  return (
    <>
      {chosen.length > 0 && (
        <Chosen
          chosen={chosen}
          mayOperate={mayOperate}
          onAsk={setOffer}
          onClear={() => onForget(chosen.map(({ execution_id }) => execution_id))}
        />
      )}
      {offer !== null && (
        <BulkDialog {...offer} onClose={() => setOffer(null)} onDone={() => onForget(offer.ids)} />
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
  onAsk: (offer: Offer) => void
  onClear: () => void
}) {
  // The later run is compared with the earlier.
  const [earlier, later] = chosen.toSorted((a, b) => a.created_at.localeCompare(b.created_at))
  const offers = mayOperate ? bulkOffers(chosen) : []
  return (
    <div
      role="region"
      aria-label="Chosen runs"
      className="sticky bottom-3 z-20 mt-3 flex flex-wrap items-center gap-2 rounded-lg border border-line-strong bg-surface px-4 py-2 shadow-raised"
    >
      <span className="mr-auto font-medium max-sm:-order-2 max-sm:basis-[calc(100%-3rem)]" role="status">
        {capital(runsText(chosen.length))} chosen
      </span>
      {chosen.length === 2 && earlier !== undefined && later !== undefined && (
        <Button asChild>
          <Link href={`/executions/${later.execution_id}/compare?with=${earlier.execution_id}`}>
            <GitCompareArrows aria-hidden /> Compare
          </Link>
        </Button>
      )}
      {offers.map((offer) => {
        const Icon = ICONS[offer.action]
        return (
          <Button
            key={offer.action}
            tone={offer.action === 'cancel' ? 'danger' : 'plain'}
            onClick={() => onAsk(offer)}
          >
            <Icon aria-hidden /> {BULK_ACTIONS[offer.action].button} {offer.ids.length}…
          </Button>
        )
      })}
      <Button tone="quiet" size="icon" className="max-sm:-order-1" aria-label="Choose none" onClick={onClear}>
        <X aria-hidden />
      </Button>
    </div>
  )
}

const ICONS: Readonly<Record<BulkAction, LucideIcon>> = {
  pause: Pause,
  resume: Play,
  rerun: RotateCcw,
  again: Repeat,
  cancel: CircleStop,
}

function BulkDialog({
  action,
  ids,
  onClose,
  onDone,
}: Offer & {
  onClose: () => void
  onDone: () => void
}) {
  const { title, description, done, asksReason } = BULK_ACTIONS[action]
  const [reason, setReason] = useState('')
  const [progress, setProgress] = useState(0)
  const work = useMutation({
    mutationFn: () => inTurn(ids, (id) => perform(action, id, reason.trim()), setProgress),
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
        // Some runs are changed already: the dialog stays until all are.
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
        {asksReason && failures.length === 0 && (
          <Field id="bulk-reason" label="Reason" hint="Saved in the record of each run.">
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
        {failures.length > 0 && <Failures failures={failures} of={ids.length} />}
        <BulkButtons
          action={action}
          count={ids.length}
          progress={work.isPending ? progress : null}
          isOver={failures.length > 0}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}

function perform(action: BulkAction, execution_id: string, reason: string): Promise<unknown> {
  const because = reason === '' ? {} : { reason }
  switch (action) {
    case 'pause':
      return client.executions.pause.mutate({ execution_id, ...because })
    case 'resume':
      return client.executions.resume.mutate({ execution_id })
    case 'cancel':
      return client.executions.cancel.mutate({ execution_id, ...because })
    case 'rerun':
      return client.executions.rerun.mutate({ execution_id, nodes: 'failed' })
    case 'again':
      return client.executions.fork.mutate({ execution_id, at_seq: 0 })
  }
}

function Failures({ failures, of }: { failures: readonly Failure[]; of: number }) {
  return (
    <div role="alert">
      <p className="font-medium text-danger">
        {failures.length} of {of} could not be changed{failures.length < of && '; all others were'}.
      </p>
      <ul className="mt-2 flex max-h-48 flex-col gap-1 overflow-y-auto text-xs">
        {failures.map(({ of: id, error }) => (
          <li key={id}>
            <code>{id}</code> {problemOf(error).message}
          </li>
        ))}
      </ul>
    </div>
  )
}

function BulkButtons({
  action,
  count,
  progress,
  isOver,
  onClose,
}: {
  action: BulkAction
  count: number
  /** Runs that are done; null while it is not running. */
  progress: number | null
  isOver: boolean
  onClose: () => void
}) {
  const isRunning = progress !== null
  return (
    <div className="flex items-center justify-end gap-2">
      {isRunning && (
        <span role="status" className="mr-auto text-muted">
          {BULK_ACTIONS[action].busy} {progress} of {count}…
        </span>
      )}
      {isOver ? (
        <Button type="submit" tone="primary">
          Close
        </Button>
      ) : (
        <>
          <Button disabled={isRunning} onClick={onClose}>
            Leave {count === 1 ? 'it' : 'them'}
          </Button>
          <Button
            type="submit"
            tone={action === 'cancel' ? 'danger' : 'primary'}
            disabled={isRunning}
            autoFocus={!BULK_ACTIONS[action].asksReason}
          >
            {BULK_ACTIONS[action].verb} {runsText(count)}
          </Button>
        </>
      )}
    </div>
  )
}
