'use client'

import { useId, useState } from 'react'
import { FieldFrame } from '@/components/editor/form/field-frame'
import { Fold } from '@/components/editor/form/fold'
import { issuesAt, useFormHost } from '@/components/editor/form/form-host'
import { ObjectControl } from '@/components/editor/form/members'
import { SchemaField } from '@/components/editor/form/schema-field'
import type { FieldShape } from '@/components/editor/form/shape'
import type { NodeFields } from '@/components/editor/model/flow'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/field'
import { isRecord, textOf } from '@/core/pipeline/json'
import type { Path } from '@/core/pipeline/json-edits'
import { taskCatalog } from '@/tasks/contracts'
import { NodeInputs } from './node-inputs'
import { noControl } from './no-control'

/** What works by itself, and so can undo something. */
const tasks = [...taskCatalog.values()].filter(({ placement }) => placement !== 'engine')

/** How the node is undone when its run is rolled back: by a task, not at all, or nothing is said. */
export function RollbackForm({
  node,
  path,
  fields,
}: {
  node: NodeFields
  path: Path
  fields: readonly FieldShape[]
}) {
  const host = useFormHost()
  const at = [...path, 'rollback']
  const rollback = isRecord(node['rollback']) ? node['rollback'] : null
  const [turned, setTurned] = useState(false)
  const bindings = isRecord(node['inputBindings']) ? node['inputBindings'] : {}
  const contract = taskCatalog.get(textOf(node['task']))
  const hasEffect = typeof node['pipeline'] === 'string' || contract?.hasEffect?.(bindings) === true
  const set = (value: unknown) => {
    setTurned(true)
    host.edit(at, value)
  }
  return (
    <Fold title="Rollback" summary={summaryOf(rollback, hasEffect)} paths={[at]}>
      {rollback === null ? (
        <div className="flex flex-col items-start gap-2">
          <p className="text-xs text-muted">
            {hasEffect
              ? 'This node changes something outside of the run. Say how that is undone when the run is rolled back.'
              : 'When the run is rolled back, nothing is done for this node.'}
          </p>
          <div className="flex flex-wrap gap-2">
            <Button size="small" autoFocus={turned} onClick={() => set({ task: 'http.request' })}>
              Undo it with a task
            </Button>
            <Button size="small" onClick={() => set({ irreversible: true })}>
              It cannot be undone
            </Button>
          </div>
        </div>
      ) : rollback['irreversible'] === true ? (
        <>
          <p className="text-xs text-muted">
            It cannot be undone. A run does not roll back past it by itself.
          </p>
          <Button
            tone="quiet"
            size="small"
            className="self-start"
            autoFocus={turned}
            onClick={() => set(undefined)}
          >
            Say nothing of it
          </Button>
        </>
      ) : (
        <>
          <UndoTask path={[...at, 'task']} task={textOf(rollback['task'])} />
          <NodeInputs node={{ ...rollback, id: node.id }} path={at} />
          <ObjectControl
            {...noControl}
            path={at}
            value={node['rollback']}
            templates="none"
            without={['task', 'inputBindings', 'irreversible']}
            fields={fields}
            Field={SchemaField}
          />
          <Button tone="quiet" size="small" className="self-start" onClick={() => set(undefined)}>
            Do not undo it
          </Button>
        </>
      )}
    </Fold>
  )
}

function summaryOf(
  rollback: { readonly [field: string]: unknown } | null,
  hasEffect: boolean,
): string | null {
  if (rollback === null) return hasEffect ? 'nothing says how' : null
  return rollback['irreversible'] === true ? 'cannot be undone' : textOf(rollback['task'])
}

function UndoTask({ path, task }: { path: Path; task: string }) {
  const id = useId()
  const host = useFormHost()
  return (
    <FieldFrame
      id={id}
      path={path}
      title="Task that undoes it"
      required
      hint="Its inputs may read what the node leaves behind."
      issues={issuesAt(host.issues, path, true)}
    >
      <Select id={id} value={task} onChange={(event) => host.edit(path, event.target.value)}>
        {!taskCatalog.has(task) && <option value={task}>{task || 'Choose…'}</option>}
        {tasks.map(({ type, title }) => (
          <option key={type} value={type}>
            {title} ({type})
          </option>
        ))}
      </Select>
    </FieldFrame>
  )
}
