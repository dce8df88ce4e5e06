'use client'

import { useMutation, useQuery } from '@tanstack/react-query'
import { Hand } from 'lucide-react'
import { useId, useState } from 'react'
import { api, problemOf } from '@/components/api'
import { namesIn } from '@/components/graph/model/reasons'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field, Input, Textarea } from '@/components/ui/field'
import { toast } from '@/components/ui/toast'
import { expectedOutputs, refusalByHand, resetByHand } from '@/core/engine/decide/by-hand'
import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { formatOf, outputsOf, type TypedOutputs } from './by-hand-values'
import { useRun } from './run-context'

/** Nodes listed by name; the rest is counted. */
const NAMED = 12

/** Offers to complete a node by hand where the engine would take it. */
export function CompleteByHand({ compiled }: { compiled: CompiledNode }) {
  const { view, foldAt } = useRun()
  const [open, setOpen] = useState(false)
  const { state } = foldAt(view.last_seq)
  if (!open && refusalByHand(state, compiled.id) !== null) return null
  const name = compiled.definition.name ?? compiled.id
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        <Hand aria-hidden /> Complete by hand…
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title={`Complete ${name} by hand?`}
        description="For a step that somebody did elsewhere: give its outputs and say why. The run goes on from there and shows that it was done by hand."
      >
        <ByHandForm compiled={compiled} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

/** The outputs of the node with their types; undefined until they are known. */
function useExpected(compiled: CompiledNode): ReadonlyMap<string, string> | undefined {
  const { view } = useRun()
  const { child, outputVariables, forEach } = compiled
  const isOpen = child !== null && outputVariables === null
  const revision = child === null ? undefined : view.sub_pipelines?.[child]
  const { data } = useQuery(
    api.pipelines.get.queryOptions(
      { pipeline_id: child ?? '', ...(revision === undefined ? {} : { revision }) },
      { enabled: isOpen, staleTime: Infinity },
    ),
  )
  const own = expectedOutputs(compiled)
  if (isOpen && data === undefined) return undefined
  const names = isOpen ? [...own.keys(), ...Object.keys(data?.definition.outputs ?? {})] : [...own.keys()]
  return new Map(names.map((name) => [name, forEach === null ? (own.get(name) ?? 'any') : 'array']))
}

function ByHandForm({ compiled, onClose }: { compiled: CompiledNode; onClose: () => void }) {
  const { view, pipeline, foldAt } = useRun()
  const id = useId()
  const [typed, setTyped] = useState<TypedOutputs>(new Map())
  const [reason, setReason] = useState('')
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map())
  const expected = useExpected(compiled)
  const complete = useMutation(
    api.executions.completeByHand.mutationOptions({
      onSuccess: () => {
        onClose()
        toast({
          tone: 'good',
          title: 'Completed by hand',
          text: compiled.definition.name ?? compiled.id,
        })
      },
    }),
  )
  const refused = complete.error === null ? null : problemOf(complete.error)
  const ofServer = new Map(refused?.issues.map(({ path, message }) => [String(path.at(-1)), message]))
  const problemAt = (name: string) => problems.get(name) ?? ofServer.get(name)
  const nameOf = namesIn(pipeline.nodes)
  const again = resetByHand(foldAt(view.last_seq).state, compiled.id).filter((other) => other !== compiled.id)
  const send = () => {
    const read = outputsOf(expected ?? new Map(), typed)
    const noReason = reason.trim() === '' ? [['reason', 'Say why, for those who look later.'] as const] : []
    setProblems(new Map([...(read.ok ? [] : read.problems), ...noReason]))
    if (!read.ok || noReason.length > 0) return
    const { outputs } = read
    complete.mutate({ execution_id: view.execution_id, node_id: compiled.id, outputs, reason })
  }
  return (
    <form
      noValidate
      className="flex min-h-0 flex-col"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <div className="flex min-h-0 flex-col gap-4 overflow-y-auto px-5 pb-4">
        {expected === undefined && <p className="text-muted">Loading what the node leaves behind…</p>}
        {expected?.size === 0 && <p className="text-muted">This node has no outputs.</p>}
        {[...(expected ?? [])].map(([name, type]) => (
          <OutputField
            key={name}
            id={`${id}-${name}`}
            name={name}
            type={type}
            value={typed.get(name) ?? ''}
            problem={problemAt(name)}
            onChange={(text) => setTyped(new Map(typed).set(name, text))}
          />
        ))}
        <Field
          id={`${id}-reason`}
          label="Reason"
          required
          hint="Shown with the node, and saved in the record of the run."
          error={problemAt('reason')}
        >
          <Textarea
            id={`${id}-reason`}
            aria-describedby={`${id}-reason-hint`}
            aria-invalid={problemAt('reason') !== undefined}
            maxLength={4_000}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </Field>
        {again.length > 0 && (
          <p className="text-xs text-muted">
            Runs because of it: {again.slice(0, NAMED).map(nameOf).join(', ')}
            {again.length > NAMED && ` and ${again.length - NAMED} more`}.
            {again.some((each) => pipeline.nodes.get(each)?.kind === 'approval') &&
              ' Approvals among them ask again.'}
          </p>
        )}
        {refused !== null && (
          <p role="alert" className="font-medium text-danger first-letter:uppercase">
            {refused.message}
          </p>
        )}
      </div>
      <div className="flex justify-end gap-2 border-t border-line px-5 py-3">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" tone="primary" disabled={expected === undefined || complete.isPending}>
          <Hand aria-hidden /> {complete.isPending ? 'Completing…' : 'Complete by hand'}
        </Button>
      </div>
    </form>
  )
}

function OutputField({
  id,
  name,
  type,
  value,
  problem,
  onChange,
}: {
  id: string
  name: string
  type: string
  value: string
  problem: string | undefined
  onChange: (text: string) => void
}) {
  const common = {
    id,
    value,
    'aria-invalid': problem !== undefined,
    'aria-describedby': problem === undefined ? `${id}-hint` : `${id}-error`,
    onChange: (event: { readonly target: { readonly value: string } }) => onChange(event.target.value),
  }
  const isShort = type === 'string' || type === 'number' || type === 'boolean'
  return (
    <Field id={id} label={<code>{name}</code>} hint={`${formatOf(type)}. Left empty: null.`} error={problem}>
      {isShort ? (
        <Input {...common} autoComplete="off" />
      ) : (
        <Textarea {...common} spellCheck={false} className="min-h-14 font-mono text-xs" />
      )}
    </Field>
  )
}
