'use client'

import { Trash2, X } from 'lucide-react'
import { useId, useState, type ReactNode } from 'react'
import { idFromName, remove, renameId } from '@/components/editor/model/actions'
import { useDraft, useEditor } from '@/components/editor/editor-context'
import { nodesOf, START, type NodeFields } from '@/components/editor/model/flow'
import { FieldFrame } from '@/components/editor/form/field-frame'
import { FormHostProvider, issuesAt, useFormHost } from '@/components/editor/form/form-host'
import { NameInput } from '@/components/editor/form/members'
import type { Problem } from '@/components/editor/model/problems/problem-list'
import { TryNode } from '@/components/editor/trial/try-node'
import { Button } from '@/components/ui/button'
import { Input, Textarea } from '@/components/ui/field'
import { idAndKind } from '@/components/ui/name-and-id'
import { TaskIcon } from '@/components/ui/task-icon'
import { GateForm } from './gate-form'
import { NodeFolds } from './node-form'
import { NodeInputs } from './node-inputs'
import { NodeTask } from './node-task'
import { useEditorFormHost } from './use-form-host'

/** The form of a node: what it does, when it starts, what it is given, and everything else that it can say. */
export function Inspector({
  id,
  problems,
  onClose,
}: {
  id: string
  problems: readonly Problem[]
  onClose: () => void
}) {
  const host = useEditorFormHost(problems)
  const node = useDraft((draft) => nodesOf(draft.definition).find((one) => one.id === id))
  const index = useDraft(({ definition: { nodes } }) => (Array.isArray(nodes) ? nodes.indexOf(node) : -1))
  if (node === undefined || index < 0) return null
  return (
    <FormHostProvider value={host}>
      {/* Keyed by index: a node that gets another id keeps its form, and the form keeps the focus. */}
      <NodeForm key={index} node={node} index={index} onClose={onClose} />
    </FormHostProvider>
  )
}

function NodeForm({ node, index, onClose }: { node: NodeFields; index: number; onClose: () => void }) {
  const stores = useEditor()
  const { id } = node
  const text = (field: string) => (typeof node[field] === 'string' ? node[field] : '')
  const task = text('task') || 'pipeline'
  const path = ['nodes', index]
  return (
    <FormPanel
      icon={<TaskIcon task={task} />}
      title={text('name') || id}
      subtitle={idAndKind(text('name') || id, id, text('pipeline') || task)}
      onClose={onClose}
    >
      <div className="flex flex-col gap-4 px-4 pt-3 pb-4">
        <Naming node={node} index={index} />
        <NodeTask node={node} path={path} />
      </div>
      <section aria-label="Start" className="border-t border-line">
        <GateForm
          nodeId={id}
          path={[...path, 'startWhen']}
          gate={typeof node['startWhen'] === 'string' ? node['startWhen'] : START}
        />
      </section>
      <section aria-label="Inputs" className="flex flex-col gap-4 border-t border-line px-4 pt-3 pb-4">
        <NodeInputs node={node} path={path} />
      </section>
      <NodeFolds node={node} path={path} />
      <TryNode id={id} />
      <div className="border-t border-line p-4">
        <Button tone="danger" onClick={() => remove(stores, new Set([id]), new Set())}>
          <Trash2 aria-hidden /> Delete
        </Button>
      </div>
    </FormPanel>
  )
}

/** The frame of a form: its head stays, the rest scrolls. Undo and redo are those of the draft, in its fields too. */
export function FormPanel({
  icon,
  title,
  subtitle,
  onClose,
  children,
}: {
  icon: ReactNode
  title: string
  subtitle: string
  onClose: () => void
  children: ReactNode
}) {
  const { draft } = useEditor()
  const readable = useDraft((state) => state.unreadable.length === 0)
  return (
    <div
      onKeyDown={(event) => {
        if (!(event.ctrlKey || event.metaKey) || event.altKey) return
        const key = event.key.toLowerCase()
        if (key !== 'z' && key !== 'y') return
        event.preventDefault()
        event.stopPropagation()
        if (key === 'y' || event.shiftKey) draft.redo()
        else draft.undo()
      }}
    >
      <div className="sticky top-0 z-10 flex items-center gap-2.5 border-b border-line bg-surface px-4 py-3">
        {icon}
        <div className="min-w-0">
          <h2 className="truncate text-sm font-semibold">{title}</h2>
          <p className="truncate font-mono text-[11px] text-faint">{subtitle}</p>
        </div>
        <Button tone="quiet" size="icon" className="ml-auto" aria-label="Close" onClick={onClose}>
          <X aria-hidden />
        </Button>
      </div>
      {!readable && (
        <p className="border-b border-line px-4 py-2 text-xs font-medium text-danger">
          Fix the code first, or undo. Until then the form shows the last valid state.
        </p>
      )}
      {/* Without min-w-0 a fieldset cannot get narrower than its content. */}
      <fieldset disabled={!readable} inert={!readable} className="min-w-0">
        {children}
      </fieldset>
    </div>
  )
}

/** Name, id and description. */
function Naming({ node, index }: { node: NodeFields; index: number }) {
  const prefix = useId()
  const stores = useEditor()
  const host = useFormHost()
  const description = typeof node['description'] === 'string' ? node['description'] : ''
  const [described, setDescribed] = useState(false)
  const at = (field: string) => ['nodes', index, field]
  const textField = (field: string) => ({
    id: `${prefix}-${field}`,
    autoComplete: 'off',
    onChange: (event: { readonly target: { readonly value: string } }) =>
      host.edit(at(field), event.target.value === '' ? undefined : event.target.value),
  })
  return (
    <>
      <FieldFrame
        id={`${prefix}-name`}
        path={at('name')}
        title="Name"
        required={false}
        hint={null}
        issues={issuesAt(host.issues, at('name'), true)}
        actions={
          description === '' &&
          !described && (
            <Button tone="quiet" size="small" className="h-6" onClick={() => setDescribed(true)}>
              Add description
            </Button>
          )
        }
      >
        <Input
          {...textField('name')}
          onBlur={() => idFromName(stores, node.id)}
          value={typeof node['name'] === 'string' ? node['name'] : ''}
          placeholder={`not set: shown as ${node.id}`}
        />
      </FieldFrame>
      {(described || description !== '') && (
        <FieldFrame
          id={`${prefix}-description`}
          path={at('description')}
          title="Description"
          required={false}
          hint={null}
          issues={issuesAt(host.issues, at('description'), true)}
        >
          <Textarea {...textField('description')} rows={2} autoFocus={described} value={description} />
        </FieldFrame>
      )}
      <FieldFrame
        id={`${prefix}-id`}
        path={at('id')}
        title="Id"
        required={false}
        hint={null}
        issues={issuesAt(host.issues, at('id'), true)}
        group
      >
        <NameInput title="Id" name={node.id} onRename={(to) => renameId(stores, node.id, to)} />
      </FieldFrame>
    </>
  )
}
