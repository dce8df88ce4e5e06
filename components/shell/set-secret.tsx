'use client'

import { useMutation, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { api, problemOf, queryClient } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field, Input } from '@/components/ui/field'
import { toast } from '@/components/ui/toast'

/** Sets a secret, or replaces its value. Nobody can read it back. */
export function SetSecret({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Set a secret"
      description="Pipelines name it as secret:NAME. Its value cannot be read back, only replaced."
    >
      <SecretForm onClose={() => onOpenChange(false)} />
    </Dialog>
  )
}

function SecretForm({ onClose }: { onClose: () => void }) {
  const prefix = useId()
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const secrets = useQuery(api.secrets.list.queryOptions({}))
  const before = secrets.data?.items.find((each) => each.name === name.trim())
  const put = useMutation(
    api.secrets.put.mutationOptions({
      onSuccess: () => {
        void queryClient.invalidateQueries({ queryKey: api.secrets.pathKey() })
        toast({
          tone: 'good',
          title: before === undefined ? 'The secret was set' : 'The secret was replaced',
        })
        onClose()
      },
    }),
  )
  const problem = put.error === null ? null : problemOf(put.error)
  const faultOf = (field: string) => problem?.issues.find(({ path }) => path[0] === field)?.message
  const faults = { name: faultOf('name'), value: faultOf('value') }
  return (
    <form
      className="flex flex-col gap-4 overflow-y-auto px-5 pb-5"
      onSubmit={(event) => {
        event.preventDefault()
        if (!put.isPending) put.mutate({ name: name.trim(), value })
      }}
    >
      <Field
        id={`${prefix}-name`}
        label="Name"
        required
        hint={
          before === undefined
            ? 'Small letters, digits and _.'
            : `This secret exists: the value that ${before.updated_by} set is replaced.`
        }
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
          list={`${prefix}-names`}
          maxLength={63}
          required
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <datalist id={`${prefix}-names`}>
          {secrets.data?.items.map((each) => (
            <option key={each.name} value={each.name} />
          ))}
        </datalist>
      </Field>
      <Field id={`${prefix}-value`} label="Value" required error={faults.value}>
        <Input
          id={`${prefix}-value`}
          type="password"
          aria-invalid={faults.value !== undefined}
          autoComplete="new-password"
          required
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
      </Field>
      {problem !== null && faults.name === undefined && faults.value === undefined && (
        <p role="alert" className="font-medium text-danger">
          {problem.message}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" tone="primary" disabled={put.isPending}>
          {put.isPending ? 'Saving…' : before === undefined ? 'Set the secret' : 'Replace the secret'}
        </Button>
      </div>
    </form>
  )
}
