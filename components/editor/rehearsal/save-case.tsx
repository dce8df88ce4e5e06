'use client'

import { useId, useMemo, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field, Input } from '@/components/ui/field'
import { StatusIcon, statusText } from '@/components/ui/status'
import { limits } from '@/core/pipeline/definition/definition'
import type { RehearsalCase } from '@/core/rehearsal/case'
import type { RehearsalPlan } from '@/core/rehearsal/plan'
import {
  expectationOf,
  nameProblem,
  proposedName,
  notableNodes,
} from '@/components/editor/model/rehearsal/case-edits'
import type { RehearsedPipeline, Shown } from '@/components/editor/model/rehearsal/rehearser'

type Given = {
  readonly shown: Shown
  readonly plan: RehearsalPlan
  /** The case that is kept anew; null: one more. */
  readonly before: { readonly name: string; readonly nodes: readonly string[] } | null
}

/** Asks under which name the rehearsal is kept, and what of it is expected from now on. */
export function SaveCase({
  given,
  onKeep,
  onClose,
}: {
  /** null: nothing is being kept. */
  given: Given | null
  onKeep: (kept: RehearsalCase) => void
  onClose: () => void
}) {
  return (
    <Dialog
      open={given !== null}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={given?.before == null ? 'Keep as a case' : 'Keep this case anew'}
      description="It is rehearsed again after every edit, and tells when something else comes of it. It is part of the pipeline: published with it, and undone with it."
    >
      {given !== null && <Form {...given} onKeep={onKeep} onClose={onClose} />}
    </Dialog>
  )
}

function Form({
  shown,
  plan,
  before,
  onKeep,
  onClose,
}: Given & { onKeep: (kept: RehearsalCase) => void; onClose: () => void }) {
  const { pipeline } = shown
  const id = useId()
  const [name, setName] = useState(() => before?.name ?? proposedName(shown))
  const [status, setStatus] = useState(true)
  const [nodes, setNodes] = useState<ReadonlySet<string>>(
    () => new Set(before === null || before.nodes.length === 0 ? notableNodes(shown) : before.nodes),
  )
  const [sought, setSought] = useState('')
  const rows = useMemo(() => pipeline.levels.flat(), [pipeline])
  const found = rows.filter((node) => nameOf(pipeline, node).toLowerCase().includes(sought.toLowerCase()))
  const tooLarge =
    JSON.stringify(plan).length > limits.planLength
      ? 'This scenario has too much in it to be kept: begin from the median of earlier runs instead of one run.'
      : null
  const problem = nameProblem(name)
  const check = 'size-4 shrink-0 accent-(--accent)'
  const row = 'flex min-h-8 items-center gap-2.5 rounded-md px-2 hover:bg-sunken'
  return (
    <form
      className="flex min-h-0 flex-col"
      onSubmit={(event) => {
        event.preventDefault()
        if (problem === undefined && tooLarge === null)
          onKeep({ name: name.trim(), plan, expect: expectationOf(shown, { status, nodes }) })
      }}
    >
      <div className="flex min-h-0 flex-col gap-4 overflow-y-auto px-5 pb-4">
        <Field id={id} label="Name" error={problem}>
          <Input
            id={id}
            autoFocus
            value={name}
            aria-invalid={problem !== undefined}
            onChange={({ target }) => setName(target.value)}
            onFocus={({ target }) => target.select()}
          />
        </Field>
        {tooLarge !== null && (
          <p role="alert" className="font-medium text-danger">
            {tooLarge}
          </p>
        )}
        <fieldset className="flex flex-col">
          <legend className="mb-1 text-sm font-medium">Expected from now on</legend>
          <label className={row}>
            <input
              type="checkbox"
              className={check}
              checked={status}
              onChange={({ target }) => setStatus(target.checked)}
            />
            <StatusIcon status={shown.end.status} />
            <span>The run</span>
            <span className="ml-auto shrink-0 text-xs text-muted">
              {statusText(shown.end.status).toLowerCase()}
            </span>
          </label>
          {rows.length > 12 && (
            <Input
              aria-label="Find a node"
              placeholder="Find a node"
              className="my-1"
              value={sought}
              onChange={({ target }) => setSought(target.value)}
            />
          )}
          {found.slice(0, 60).map((node) => {
            const fate = shown.nodes.get(node)
            if (fate === undefined) return null
            return (
              <label key={node} className={row}>
                <input
                  type="checkbox"
                  className={check}
                  checked={nodes.has(node)}
                  onChange={({ target }) => {
                    const next = new Set(nodes)
                    if (target.checked) next.add(node)
                    else next.delete(node)
                    setNodes(next)
                  }}
                />
                <StatusIcon status={fate.status} />
                <span className="min-w-0 truncate">{nameOf(pipeline, node)}</span>
                <span className="ml-auto shrink-0 text-xs text-muted">
                  {statusText(fate.status).toLowerCase()}
                </span>
              </label>
            )
          })}
          {found.length > 60 && (
            <p className="px-2 py-1 text-xs text-faint">And {found.length - 60} more: find them by name.</p>
          )}
        </fieldset>
      </div>
      <div className="flex justify-end gap-2 border-t border-line px-5 py-3">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" tone="primary">
          Keep
        </Button>
      </div>
    </form>
  )
}

const nameOf = ({ nodes }: RehearsedPipeline, id: string): string => nodes.get(id)?.definition.name ?? id
