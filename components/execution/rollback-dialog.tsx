'use client'

import { useMutation, useQuery } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { api, client, problemOf } from '@/components/api'
import { namesIn } from '@/components/graph/model/reasons'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field, Select, Textarea } from '@/components/ui/field'
import { Link } from '@/components/ui/link'
import { toast } from '@/components/ui/toast'
import { useRun } from './run-context'
import { RollbackOrder } from './rollback-order'

/** Undoes what the run did, or a part of it. Shows exactly what happens before anything does. */
export function RollbackDialog({
  open,
  onOpenChange,
}: {
  open: boolean
  onOpenChange: (open: boolean) => void
}) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Roll back this run?"
      description="The rollback tasks of the nodes run, the last nodes first. What declares none stays as it is."
    >
      <Preview onClose={() => onOpenChange(false)} />
    </Dialog>
  )
}

/** What can be chosen: everything, a phase, or a node, each as one value. */
const WHOLE = 'execution'

function askedOf(chosen: string) {
  const [scope, target = ''] = chosen.split(':')
  if (scope === 'phase') return { scope: 'phase' as const, target }
  return scope === 'node' ? { scope: 'node' as const, target } : { scope: 'execution' as const }
}

function Preview({ onClose }: { onClose: () => void }) {
  const { view } = useRun()
  const [chosen, setChosen] = useState(WHOLE)
  const [restart, setRestart] = useState(false)
  const [reason, setReason] = useState('')
  const asked = { execution_id: view.execution_id, ...askedOf(chosen) }
  const rollback = useMutation(
    api.executions.rollback.mutationOptions({
      onSuccess: () => {
        onClose()
        toast({ tone: 'good', title: 'The run is being rolled back' })
      },
    }),
  )
  const preview = useQuery({
    // Whatever happens in the run until it is confirmed can change the plan.
    queryKey: ['rollback', asked, view.last_seq],
    queryFn: () => client.executions.rollback.mutate({ ...asked, dry_run: true }),
    enabled: rollback.isIdle || rollback.isError,
    retry: false,
  })
  const error = rollback.error ?? preview.error
  const plan = preview.data
  const text = reason.trim()
  return (
    <form
      className="flex min-h-0 flex-col"
      onSubmit={(event) => {
        event.preventDefault()
        rollback.mutate({ ...asked, restart, ...(text === '' ? {} : { reason: text }) })
      }}
    >
      <div className="flex min-h-0 flex-col gap-4 overflow-y-auto px-5 pb-4">
        <Scope chosen={chosen} onChoose={setChosen} />
        {preview.isPending && <p className="text-muted">Looking at what would be undone…</p>}
        {plan !== undefined && <Plan plan={plan} />}
        <label className="flex items-start gap-2">
          <input
            type="checkbox"
            className="mt-1 size-3.5 shrink-0 accent-(--accent)"
            aria-describedby="rollback-restart-hint"
            checked={restart}
            onChange={(event) => setRestart(event.target.checked)}
          />
          <span>
            Run again afterwards
            <span id="rollback-restart-hint" className="block text-xs text-faint">
              Otherwise the run ends as rolled back.
            </span>
          </span>
        </label>
        <Field id="rollback-reason" label="Reason" hint="Saved in the record of the run.">
          <Textarea
            id="rollback-reason"
            aria-describedby="rollback-reason-hint"
            maxLength={2000}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </Field>
        {error !== null && (
          <p role="alert" className="font-medium text-danger first-letter:uppercase">
            {problemOf(error).message}
          </p>
        )}
      </div>
      <div className="flex justify-end gap-2 border-t border-line px-5 py-3">
        <Button onClick={onClose}>Leave it</Button>
        <Button
          type="submit"
          tone="danger"
          disabled={plan === undefined || rollback.isPending || (plan.order.length === 0 && !restart)}
        >
          <Undo2 aria-hidden /> {rollback.isPending ? 'Rolling back…' : 'Roll back'}
        </Button>
      </div>
    </form>
  )
}

function Scope({ chosen, onChoose }: { chosen: string; onChoose: (chosen: string) => void }) {
  const { pipeline } = useRun()
  const nodes = [...pipeline.nodes.values()].filter((node) => !node.finally)
  const phases = [...new Set(nodes.map(({ phase }) => phase))]
  return (
    <Field id="rollback-scope" label="What" hint="With everything that follows it.">
      <Select
        id="rollback-scope"
        aria-describedby="rollback-scope-hint"
        value={chosen}
        onChange={(event) => onChoose(event.target.value)}
      >
        <option value={WHOLE}>The whole run</option>
        <optgroup label="From a phase on">
          {phases.map((phase) => (
            <option key={phase} value={`phase:${phase}`}>
              {phase.replaceAll('_', ' ')}
            </option>
          ))}
        </optgroup>
        <optgroup label="From a node on">
          {nodes.map(({ id, definition }) => (
            <option key={id} value={`node:${id}`}>
              {definition.name ?? id}
            </option>
          ))}
        </optgroup>
      </Select>
    </Field>
  )
}

type Answer = Awaited<ReturnType<typeof client.executions.rollback.mutate>>

function Plan({ plan }: { plan: Answer }) {
  const { pipeline } = useRun()
  const nameOf = namesIn(pipeline.nodes)
  const used = plan.consumed.map(({ node_id, by }) => `${nameOf(node_id)} by ${by.map(nameOf).join(', ')}`)
  return (
    <>
      <Group title="Is undone, in this order">
        {plan.order.length === 0 ? (
          <p className="text-muted">Nothing: no node of it did anything that a task undoes.</p>
        ) : (
          <RollbackOrder order={plan.order} />
        )}
      </Group>
      {plan.stops.length > 0 && <Group title="Is stopped first">{plan.stops.map(nameOf).join(', ')}</Group>}
      {plan.irreversible.length > 0 && (
        <Group title="Cannot be undone">
          <span className="text-warning">{plan.irreversible.map(nameOf).join(', ')}</span>
        </Group>
      )}
      {plan.uncompensated.length > 0 && (
        <Group title="Changed something and has no rollback task">
          <span className="text-warning">{plan.uncompensated.map(nameOf).join(', ')}</span>
        </Group>
      )}
      {used.length > 0 && <Group title="Was used already">{used.join('; ')}</Group>}
      {plan.other_runs.length > 0 && (
        <Group title="Other runs have its results">
          {plan.other_runs.map(({ execution_id, how }, at) => (
            <span key={execution_id}>
              {at > 0 && ', '}
              <Link href={`/executions/${execution_id}`} className="font-mono text-accent underline">
                {execution_id}
              </Link>{' '}
              ({how === 'fork' ? 'forked from it' : 'it works for that'})
            </span>
          ))}
        </Group>
      )}
    </>
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <h3 className="mb-1 text-sm font-medium">{title}</h3>
      <div className="break-words">{children}</div>
    </div>
  )
}
