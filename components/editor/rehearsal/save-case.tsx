'use client'

import { useId, useMemo, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field, Input } from '@/components/ui/field'
import { nodeStatus, StatusIcon, statusText } from '@/components/ui/status'
import { limits } from '@/core/pipeline/definition/definition'
import type { RehearsalCase } from '@/core/rehearsal/case'
import type { RehearsalPlan } from '@/core/rehearsal/plan'
import {
  expectationOf,
  nameProblem,
  proposedName,
  notableNodes,
} from '@/components/editor/model/rehearsal/case-edits'
import { endOf } from './end-of'
import type { RehearsedPipeline, Shown } from '@/components/editor/model/rehearsal/rehearser'

type Given = {
  readonly shown: Shown
  readonly plan: RehearsalPlan
  /** The case that is updated; null: a new one. */
  readonly before: { readonly name: string; readonly nodes: readonly string[] } | null
}

/** Asks for the name of a case and for what it expects. */
export function SaveCase({
  given,
  onSave,
  onClose,
}: {
  /** null: the dialog is closed. */
  given: Given | null
  onSave: (saved: RehearsalCase) => void
  onClose: () => void
}) {
  return (
    <Dialog
      open={given !== null}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={given?.before == null ? 'Save as a case' : 'Update the case'}
      description="It is rehearsed again after every edit, and fails when the outcome differs. It is part of the draft, and is published with it."
    >
      {given !== null && <Form {...given} onSave={onSave} onClose={onClose} />}
    </Dialog>
  )
}

function Form({
  shown,
  plan,
  before,
  onSave,
  onClose,
}: Given & { onSave: (saved: RehearsalCase) => void; onClose: () => void }) {
  const id = useId()
  const [name, setName] = useState(() => before?.name ?? proposedName(shown))
  const [status, setStatus] = useState(true)
  const [nodes, setNodes] = useState<ReadonlySet<string>>(
    () => new Set(before === null || before.nodes.length === 0 ? notableNodes(shown) : before.nodes),
  )
  const tooLarge =
    JSON.stringify(plan).length > limits.planLength
      ? 'This scenario is too large to be saved. Use the median of earlier runs instead of one run.'
      : null
  const problem = nameProblem(name)
  return (
    <form
      className="flex min-h-0 flex-col"
      onSubmit={(event) => {
        event.preventDefault()
        if (problem === undefined && tooLarge === null)
          onSave({ name: name.trim(), plan, expect: expectationOf(shown, { status, nodes }) })
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
        <Expected shown={shown} status={status} onStatus={setStatus} nodes={nodes} onNodes={setNodes} />
      </div>
      <div className="flex justify-end gap-2 border-t border-line px-5 py-3">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" tone="primary">
          Save
        </Button>
      </div>
    </form>
  )
}

/** What the case expects: the end of the run, and the states of the chosen nodes. */
function Expected({
  shown,
  status,
  onStatus,
  nodes,
  onNodes,
}: {
  shown: Shown
  status: boolean
  onStatus: (status: boolean) => void
  nodes: ReadonlySet<string>
  onNodes: (nodes: ReadonlySet<string>) => void
}) {
  const { pipeline } = shown
  const [sought, setSought] = useState('')
  const rows = useMemo(() => pipeline.levels.flat(), [pipeline])
  const found = rows.filter((node) => nameOf(pipeline, node).toLowerCase().includes(sought.toLowerCase()))
  const check = 'size-4 shrink-0 accent-(--accent)'
  const row = 'flex min-h-8 items-center gap-2.5 rounded-md px-2 hover:bg-sunken'
  return (
    <fieldset className="flex flex-col">
      <legend className="mb-1 text-sm font-medium">Expected from now on</legend>
      <label className={row}>
        <input
          type="checkbox"
          className={check}
          checked={status}
          onChange={({ target }) => onStatus(target.checked)}
        />
        <StatusIcon status={endOf(shown)} />
        <span>The run</span>
        <span className="ml-auto shrink-0 text-xs text-muted">{statusText(endOf(shown)).toLowerCase()}</span>
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
                onNodes(next)
              }}
            />
            <StatusIcon status={nodeStatus(fate)} />
            <span className="min-w-0 truncate">{nameOf(pipeline, node)}</span>
            <span className="ml-auto shrink-0 text-xs text-muted">
              {statusText(nodeStatus(fate)).toLowerCase()}
            </span>
          </label>
        )
      })}
      {found.length > 60 && (
        <p className="px-2 py-1 text-xs text-faint">And {found.length - 60} more: find them by name.</p>
      )}
    </fieldset>
  )
}

const nameOf = ({ nodes }: RehearsedPipeline, id: string): string => nodes.get(id)?.definition.name ?? id
