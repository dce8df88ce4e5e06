'use client'

import { useMemo } from 'react'
import type { NodeFields } from '@/components/editor/model/flow'
import type { Path } from '@/core/pipeline/json-edits'
import type { Templates } from '@/components/editor/form/controls'
import { ObjectControl } from '@/components/editor/form/members'
import { SchemaField } from '@/components/editor/form/schema-field'
import { shapeOf } from '@/components/editor/form/shape'
import { taskCatalog } from '@/tasks/contracts'
import { ChildInputs } from './child-form'
import { noControl } from './no-control'

/** What the task of a node is given. */
export function NodeInputs({ node, path }: { readonly node: NodeFields; readonly path: Path }) {
  const task = typeof node['task'] === 'string' ? node['task'] : null
  const contract = task === null ? undefined : taskCatalog.get(task)
  const exceptions = useMemo(
    () =>
      new Map<string, Templates>([
        ...(contract?.literalInputs ?? []).map((name) => [name, 'none'] as const),
        ...(contract?.type === 'approval' ? [['form', 'members'] as const] : []),
        ...(contract?.argvInput === undefined ? [] : [[contract.argvInput, 'arguments'] as const]),
      ]),
    [contract],
  )
  const at = [...path, 'inputBindings']
  if (typeof node['pipeline'] === 'string')
    return <ChildInputs pipelineId={node['pipeline']} path={at} value={node['inputBindings']} />
  if (contract === undefined)
    return (
      <SchemaField
        title="Inputs"
        shape={{ kind: 'any' }}
        path={at}
        value={node['inputBindings']}
        templates="all"
      />
    )
  const input = shapeOf(contract.input)
  if (input.kind !== 'object')
    return (
      <SchemaField
        title="Variables"
        hint="Each becomes an output of this node."
        shape={input}
        path={at}
        value={node['inputBindings']}
        templates="all"
      />
    )
  if (input.fields.length === 0 && node['inputBindings'] === undefined)
    return <p className="text-xs text-faint">This task takes no inputs.</p>
  return (
    <ObjectControl
      {...noControl}
      all
      path={at}
      value={node['inputBindings']}
      templates="all"
      fields={input.fields}
      exceptions={exceptions}
      Field={SchemaField}
    />
  )
}
