'use client'

import { useQuery } from '@tanstack/react-query'
import { Link } from '@/components/ui/link'
import { useId } from 'react'
import { api } from '@/components/api'
import type { Definition } from '@/components/editor/model/draft/draft'
import { useDraft, useEditor } from '@/components/editor/editor-context'
import type { NodeFields } from '@/components/editor/model/flow'
import { changedAt, type Path } from '@/core/pipeline/json-edits'
import { FieldFrame } from '@/components/editor/form/field-frame'
import { issuesAt, useFormHost } from '@/components/editor/form/form-host'
import { Select } from '@/components/ui/field'
import { taskCatalog } from '@/tasks/contracts'

/** What a node does: a task, or another pipeline. Its inputs stay when that changes. */
export function NodeTask({ node, path }: { node: NodeFields; path: Path }) {
  const id = useId()
  const { draft } = useEditor()
  const host = useFormHost()
  const pipeline = typeof node['pipeline'] === 'string' ? node['pipeline'] : null
  const task = typeof node['task'] === 'string' ? node['task'] : ''
  const choose = (next: string) =>
    draft.edit(`Change the task of ${node.id}`, (before) => {
      const [put, take] = next === '' ? ['pipeline', 'task'] : ['task', 'pipeline']
      const without = changedAt(before, [...path, take], undefined)
      return changedAt(without, [...path, put], next) as Definition
    })
  return (
    <>
      <FieldFrame
        id={id}
        path={[...path, 'task']}
        title="Task"
        required={false}
        hint={pipeline === null ? (taskCatalog.get(task)?.description ?? null) : null}
        issues={issuesAt(host.issues, [...path, 'task'], true)}
      >
        <Select
          id={id}
          value={pipeline === null ? task : ''}
          onChange={(event) => choose(event.target.value)}
        >
          {pipeline === null && !taskCatalog.has(task) && <option value={task}>{task || 'Choose…'}</option>}
          {[...taskCatalog.values()].map(({ type, title }) => (
            <option key={type} value={type}>
              {title} ({type})
            </option>
          ))}
          <option value="">Run another pipeline</option>
        </Select>
      </FieldFrame>
      {pipeline !== null && <ChildChoice path={[...path, 'pipeline']} pipeline={pipeline} />}
    </>
  )
}

function ChildChoice({ path, pipeline }: { path: Path; pipeline: string }) {
  const id = useId()
  const host = useFormHost()
  const own = useDraft(({ definition }) => definition['id'])
  const { data } = useQuery(api.pipelines.list.queryOptions({ limit: 250 }, { staleTime: 60_000 }))
  const others = (data?.items ?? []).filter((row) => row.id !== own)
  return (
    <FieldFrame
      id={id}
      path={path}
      title="Pipeline"
      required
      hint={null}
      issues={issuesAt(host.issues, path, true)}
      actions={
        pipeline !== '' && (
          <Link
            href={`/pipelines/${encodeURIComponent(pipeline)}`}
            className="text-xs text-accent underline underline-offset-2"
          >
            Open
          </Link>
        )
      }
    >
      <Select id={id} value={pipeline} onChange={(event) => host.edit(path, event.target.value)}>
        {!others.some((row) => row.id === pipeline) && (
          <option value={pipeline}>{pipeline || 'Choose…'}</option>
        )}
        {others.map((row) => (
          <option key={row.id} value={row.id}>
            {row.name}
          </option>
        ))}
      </Select>
    </FieldFrame>
  )
}
