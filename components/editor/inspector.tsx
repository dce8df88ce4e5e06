'use client'

import { Trash2, X } from 'lucide-react'
import { useId, useMemo } from 'react'
import { Button } from '@/components/ui/button'
import { Field, Input, Textarea } from '@/components/ui/field'
import { TaskIcon } from '@/components/ui/task-icon'
import { gateShape } from '@/core/pipeline/gate-shape'
import { remove } from './actions'
import { useDraft, useEditor } from './editor-context'
import { withField } from './edits'
import { nodesOf, START } from './flow'
import { TryNode } from './try-node'

/** What the selected node is made of: its name, its start condition and its input. */
export function Inspector({ id, onClose }: { id: string; onClose: () => void }) {
  const stores = useEditor()
  const node = useDraft((draft) => nodesOf(draft.definition).find((one) => one.id === id))
  const readable = useDraft((draft) => draft.unreadable.length === 0)
  const prefix = useId()
  const gate = typeof node?.['startWhen'] === 'string' ? node['startWhen'] : START
  const fault = useMemo(() => {
    const shape = gateShape(gate)
    return shape.ok ? undefined : shape.error.message
  }, [gate])
  if (node === undefined) return null
  const text = (field: string) => (typeof node[field] === 'string' ? node[field] : '')
  const set = (field: string, value: string) =>
    stores.draft.edit(
      `Change ${field} of ${id}`,
      (definition) => withField(definition, id, field, value === '' ? undefined : value),
      `${id}/${field}`,
    )
  const task = text('task') || 'pipeline'
  return (
    <>
      <div className="flex items-center gap-2.5 border-b border-line px-4 py-3">
        <TaskIcon task={task} />
        <div className="min-w-0">
          <h2 className="truncate text-sm font-semibold">{text('name') || id}</h2>
          <p className="truncate font-mono text-[11px] text-faint">
            {id} · {text('pipeline') || task}
          </p>
        </div>
        <Button tone="quiet" size="icon" className="ml-auto" aria-label="Close" onClick={onClose}>
          <X aria-hidden />
        </Button>
      </div>
      <fieldset disabled={!readable} className="flex flex-col gap-4 p-4">
        <Field id={`${prefix}-name`} label="Name">
          <Input
            id={`${prefix}-name`}
            value={text('name')}
            placeholder={id}
            autoComplete="off"
            onChange={(event) => set('name', event.target.value)}
          />
        </Field>
        <Field
          id={`${prefix}-startWhen`}
          label="Starts when"
          hint="Events and conditions: event:a.completed && {{ a.rows > 0 }}. The edges of the graph say the same."
          error={fault}
        >
          <Textarea
            id={`${prefix}-startWhen`}
            aria-invalid={fault !== undefined}
            spellCheck={false}
            className="font-mono text-xs"
            value={gate}
            onChange={(event) => set('startWhen', event.target.value)}
          />
        </Field>
        <Field id={`${prefix}-description`} label="Description">
          <Textarea
            id={`${prefix}-description`}
            value={text('description')}
            onChange={(event) => set('description', event.target.value)}
          />
        </Field>
        <Button tone="danger" className="self-start" onClick={() => remove(stores, new Set([id]), new Set())}>
          <Trash2 aria-hidden /> Delete
        </Button>
      </fieldset>
      <TryNode id={id} />
    </>
  )
}
