'use client'

import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { api, problemOf, queryClient, type Pool } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field, Input } from '@/components/ui/field'
import { toast } from '@/components/ui/toast'
import { amountText } from '@/core/pipeline/definition/pool-text'

/** Sets how much there is of a pool, or makes one. It counts at once, also for runs that go on. */
export function PoolDialog({ pool, onClose }: { pool: Pool | 'new' | null; onClose: () => void }) {
  return (
    <Dialog
      open={pool !== null}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={pool === 'new' || pool === null ? 'New pool' : `Change ${pool.name}`}
      description="It counts at once. What is held stays held, and what does not fit any more waits."
    >
      {pool !== null && <PoolForm pool={pool === 'new' ? null : pool} onClose={onClose} />}
    </Dialog>
  )
}

function PoolForm({ pool, onClose }: { pool: Pool | null; onClose: () => void }) {
  const prefix = useId()
  const [name, setName] = useState(pool?.name ?? '')
  const [capacity, setCapacity] = useState(pool?.capacity == null ? '' : amountText(pool.name, pool.capacity))
  const done = (title: string) => {
    void queryClient.invalidateQueries({ queryKey: api.pools.pathKey() })
    void queryClient.invalidateQueries({ queryKey: api.queue.pathKey() })
    toast({ tone: 'good', title })
    onClose()
  }
  const put = useMutation(api.pools.put.mutationOptions({ onSuccess: () => done('The pool was set') }))
  const reset = pool?.usual_capacity != null
  const remove = useMutation(
    api.pools.remove.mutationOptions({
      onSuccess: () => done(reset ? 'The pool has its usual capacity' : 'The pool was removed'),
    }),
  )
  const error = put.error ?? remove.error
  const problem = error === null ? null : problemOf(error)
  const faultOf = (field: string) => problem?.issues.find(({ path }) => path[0] === field)?.message
  const faults = { name: faultOf('name'), capacity: faultOf('capacity') }
  const isMemory = name === 'memory' || name.endsWith('.memory')
  return (
    <form
      className="flex flex-col gap-4 overflow-y-auto px-5 pb-5"
      onSubmit={(event) => {
        event.preventDefault()
        if (!put.isPending) put.mutate({ name: name.trim(), capacity: given(capacity) })
      }}
    >
      {pool === null && (
        <Field
          id={`${prefix}-name`}
          label="Name"
          required
          hint="Nodes demand it in resources.pools. GROUP.slots, GROUP.cpu, GROUP.memory and GROUP.gpu make a worker group."
          error={faults.name}
        >
          <Input
            id={`${prefix}-name`}
            aria-describedby={`${prefix}-name-hint`}
            aria-invalid={faults.name !== undefined}
            autoFocus
            autoComplete="off"
            spellCheck={false}
            className="font-mono text-xs"
            required
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
      )}
      <Field
        id={`${prefix}-capacity`}
        label="Capacity"
        required
        hint={isMemory ? 'Such as 64Gi.' : 'How much of it may be held at the same time.'}
        error={faults.capacity}
      >
        <Input
          id={`${prefix}-capacity`}
          aria-describedby={`${prefix}-capacity-hint`}
          aria-invalid={faults.capacity !== undefined}
          autoFocus={pool !== null}
          autoComplete="off"
          inputMode={isMemory ? 'text' : 'decimal'}
          required
          value={capacity}
          onChange={(event) => setCapacity(event.target.value)}
        />
      </Field>
      {problem !== null && faults.name === undefined && faults.capacity === undefined && (
        <p role="alert" className="font-medium text-danger">
          {problem.message}
        </p>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        {pool !== null && pool.updated_at !== null && (
          <Button
            tone={reset ? 'plain' : 'danger'}
            className="mr-auto"
            disabled={remove.isPending}
            onClick={() => remove.mutate({ name: pool.name })}
          >
            {reset ? 'Usual capacity' : 'Remove the pool'}
          </Button>
        )}
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" tone="primary" disabled={put.isPending}>
          {put.isPending ? 'Saving…' : 'Set the pool'}
        </Button>
      </div>
    </form>
  )
}

/** A number where it is one: only memory has units. */
function given(text: string): number | string {
  const number = Number(text.trim())
  return text.trim() !== '' && Number.isFinite(number) ? number : text.trim()
}
