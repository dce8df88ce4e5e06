'use client'

import { useMutation, useQuery } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { api, client, problemOf } from '@/components/api'
import { namesIn } from '@/components/graph/model/reasons'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { toast } from '@/components/ui/toast'
import { useRun } from './run-context'

type Asked = { readonly nodes: readonly string[] | 'failed'; readonly onClose: () => void }

/** Runs nodes again in the same run. Lists exactly which nodes will be reset before anything happens. */
export function RerunDialog({
  open,
  onOpenChange,
  nodes,
}: {
  open: boolean
  onOpenChange: (open: boolean) => void
  nodes: Asked['nodes']
}) {
  const { pipeline } = useRun()
  const nameOf = namesIn(pipeline.nodes)
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={nodes === 'failed' ? 'Rerun what failed?' : `Rerun from ${nodes.map(nameOf).join(', ')}?`}
      description="These nodes run again in this same run. Their earlier results stay in the events but no longer count. To leave this run as it is, run it again or fork it instead."
    >
      <Preview nodes={nodes} onClose={() => onOpenChange(false)} />
    </Dialog>
  )
}

function Preview({ nodes, onClose }: Asked) {
  const { view, pipeline } = useRun()
  const asked = { execution_id: view.execution_id, nodes: nodes === 'failed' ? nodes : [...nodes] }
  const rerun = useMutation(
    api.executions.rerun.mutationOptions({
      onSuccess: ({ nodes: reset }) => {
        onClose()
        toast({
          tone: 'good',
          title: `${reset.length} ${reset.length === 1 ? 'node runs' : 'nodes run'} again`,
        })
      },
    }),
  )
  const preview = useQuery({
    // The set can change with every event of the run until the rerun is confirmed.
    queryKey: ['rerun', asked, view.last_seq],
    queryFn: () => client.executions.rerun.mutate({ ...asked, dry_run: true }),
    enabled: rerun.isIdle || rerun.isError,
    placeholderData: (before) => before,
    retry: false,
  })
  const error = rerun.error ?? preview.error
  const set = preview.data?.nodes ?? []
  const newer = preview.data?.newer_sub_pipelines ?? []
  return (
    <div className="flex min-h-0 flex-col">
      <div className="min-h-0 overflow-y-auto px-5 pb-4">
        {preview.isPending && <p className="text-muted">Looking at what follows…</p>}
        {set.length > 0 && (
          <ul aria-label="Nodes that run again" className="flex flex-col gap-1">
            {set.map((id) => (
              <li key={id} className="flex items-baseline gap-2">
                <span className="min-w-0 truncate">{pipeline.nodes.get(id)?.definition.name ?? id}</span>
                <code className="truncate text-xs text-faint">{id}</code>
              </li>
            ))}
          </ul>
        )}
        {newer.length > 0 && (
          <p className="mt-2 text-muted">
            {newer
              .map(
                ({ pipeline_id, revision, newest }) =>
                  `${pipeline_id} has revision ${newest}; this run stays with revision ${revision}.`,
              )
              .join(' ')}{' '}
            Run it again to take the newest.
          </p>
        )}
        {error !== null && (
          <p role="alert" className="mt-2 font-medium text-danger">
            {problemOf(error).message}
          </p>
        )}
      </div>
      <div className="flex justify-end gap-2 border-t border-line px-5 py-3">
        <Button onClick={onClose}>Leave it</Button>
        <Button
          tone="primary"
          disabled={set.length === 0 || rerun.isPending}
          onClick={() => rerun.mutate(asked)}
        >
          <RotateCcw aria-hidden />
          {rerun.isPending ? 'Resetting…' : `Rerun ${set.length} ${set.length === 1 ? 'node' : 'nodes'}`}
        </Button>
      </div>
    </div>
  )
}
