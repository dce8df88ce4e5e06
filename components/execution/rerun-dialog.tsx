'use client'

import { useMutation, useQuery } from '@tanstack/react-query'
import { GitFork, RotateCcw } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { api, client, problemOf } from '@/components/api'
import { namesIn } from '@/components/graph/model/reasons'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { NameAndId } from '@/components/ui/name-and-id'
import { toast } from '@/components/ui/toast'
import { ForkDialog } from './fork-dialog'
import { forkPointBefore } from './fork-preview'
import { REPEATS } from './repeat-words'
import { RevisionChoice, useNewerRevision, useRevision } from './revision-choice'
import { useRun } from './run-context'

type Asked = {
  readonly nodes: readonly string[] | 'failed'
  readonly onClose: () => void
  readonly onFork: (from: ForkFrom) => void
}
type ForkFrom = { readonly seq: number; readonly revision: number }

/** Reruns nodes: in this run, or with the newest revision in a new one. Lists exactly which nodes run before anything happens. */
export function RerunDialog({
  open,
  onOpenChange,
  nodes,
  withNewest = false,
}: {
  open: boolean
  onOpenChange: (open: boolean) => void
  nodes: Asked['nodes']
  /** The newest revision is chosen when it opens. */
  withNewest?: boolean
}) {
  const { pipeline } = useRun()
  const nameOf = namesIn(pipeline.nodes)
  const [fork, setFork] = useState<ForkFrom | null>(null)
  const close = () => onOpenChange(false)
  return (
    <>
      <Dialog
        open={open}
        onOpenChange={onOpenChange}
        title={nodes === 'failed' ? 'Rerun what failed?' : `Rerun from ${nodes.map(nameOf).join(', ')}?`}
      >
        <Preview
          nodes={nodes}
          withNewest={withNewest}
          onClose={close}
          onFork={(from) => {
            close()
            setFork(from)
          }}
        />
      </Dialog>
      {fork !== null && <ForkDialog {...fork} open onOpenChange={() => setFork(null)} />}
    </>
  )
}

type Answer = Awaited<ReturnType<typeof client.executions.rerun.mutate>>

function Preview({ nodes, withNewest, onClose, onFork }: Asked & { withNewest: boolean }) {
  const { view, pipeline, foldAt } = useRun()
  const router = useRouter()
  const newer = useNewerRevision()
  const [chosen, setChosen] = useState<number | null>(null)
  const [newestBelow, setNewestBelow] = useState(false)
  const revision = chosen ?? (withNewest && newer !== null ? newer : view.revision)
  const isOther = revision !== view.revision
  const asked = {
    execution_id: view.execution_id,
    nodes: nodes === 'failed' ? nodes : [...nodes],
    ...(isOther ? { revision } : {}),
    ...(newestBelow && !isOther ? { sub_pipelines: 'newest' as const } : {}),
  }
  const goesElsewhere = isOther || newestBelow
  const rerun = useMutation(
    api.executions.rerun.mutationOptions({
      onSuccess: ({ nodes: reset, execution_id: next }) => {
        onClose()
        const count = `${reset.length} ${reset.length === 1 ? 'node' : 'nodes'}`
        if (next === undefined) return toast({ tone: 'good', title: `Rerunning ${count}` })
        toast({
          tone: 'good',
          title: `Forked: a new run goes on with revision ${revision}`,
          text: `It runs ${count}`,
        })
        router.push(`/executions/${next}`)
      },
    }),
  )
  const preview = useQuery({
    // The set can change with every event of the run until the rerun is confirmed.
    queryKey: ['rerun', asked, view.last_seq],
    queryFn: () => client.executions.rerun.mutate({ ...asked, dry_run: true }),
    enabled: rerun.isIdle || rerun.isError,
    placeholderData: (before: Answer | undefined) => before,
    retry: false,
  })
  const definition = useRevision(isOther ? revision : null)?.definition
  const nameOf = (id: string) =>
    (isOther ? definition?.nodes.find((node) => node.id === id) : pipeline.nodes.get(id)?.definition)?.name ??
    id
  const error = rerun.error ?? preview.error
  const set = preview.isError ? [] : (preview.data?.nodes ?? [])
  return (
    <div className="flex min-h-0 flex-col">
      <div className="flex min-h-0 flex-col gap-4 overflow-y-auto px-5 pb-4">
        <p className="text-muted">
          {goesElsewhere ? REPEATS.rerunElsewhere(revision) : REPEATS.rerun(revision)}
        </p>
        {newer !== null && (
          <RevisionChoice
            newer={newer}
            chosen={revision}
            onChoose={setChosen}
            where={{ own: 'Goes on in this run.', newer: 'Goes on in a new run, a fork.' }}
          />
        )}
        {!isOther && (
          <NewerBelow newer={preview.data?.newer_sub_pipelines ?? []} {...{ newestBelow, setNewestBelow }} />
        )}
        {preview.isPending && <p className="text-muted">Looking at what follows…</p>}
        <NodesToRerun nodes={set} nameOf={nameOf} />
        {error !== null && (
          <Refused
            error={error}
            revision={revision}
            onFork={() => onFork({ seq: forkPointBefore(foldAt(view.last_seq).state, nodes), revision })}
          />
        )}
      </div>
      <div className="flex justify-end gap-2 border-t border-line px-5 py-3">
        <Button onClick={onClose}>Leave it</Button>
        <Button
          tone="primary"
          disabled={set.length === 0 || rerun.isPending || preview.isPlaceholderData}
          onClick={() => rerun.mutate(asked)}
        >
          <RotateCcw aria-hidden />
          {rerun.isPending
            ? goesElsewhere
              ? 'Starting…'
              : 'Resetting…'
            : `Rerun${set.length === 0 ? '' : ` ${set.length} ${set.length === 1 ? 'node' : 'nodes'}`}${isOther ? ` with revision ${revision}` : ''}`}
        </Button>
      </div>
    </div>
  )
}

function NodesToRerun({ nodes, nameOf }: { nodes: readonly string[]; nameOf: (id: string) => string }) {
  if (nodes.length === 0) return null
  return (
    <div>
      <h3 className="mb-1.5 text-sm font-medium">Nodes to rerun</h3>
      <ul aria-label="Nodes to rerun" className="flex flex-col gap-1">
        {nodes.map((id) => (
          <li key={id} className="flex items-baseline gap-2">
            <NameAndId name={nameOf(id)} id={id} />
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Why the rerun is refused. A revision with inputs that this run was not given needs a fork, which asks for them. */
function Refused({ error, revision, onFork }: { error: unknown; revision: number; onFork: () => void }) {
  const { code, message, issues } = problemOf(error)
  if (code !== 'invalid_inputs')
    return (
      <p role="alert" className="font-medium text-danger first-letter:uppercase">
        {message}
      </p>
    )
  const names = [...new Set(issues.map(({ path }) => String(path.at(-1))))].join(', ')
  return (
    <div role="alert" className="flex flex-col items-start gap-2">
      <p className="font-medium text-danger">
        Revision {revision} needs {names === '' ? 'other inputs' : <code>{names}</code>}, and a rerun keeps
        the inputs of this run. A fork asks for them.
      </p>
      <Button size="small" onClick={onFork}>
        <GitFork aria-hidden /> Fork it instead…
      </Button>
    </div>
  )
}

/** Sub-pipelines with a newer revision than the run has fixed, and the choice to take them. */
function NewerBelow({
  newer,
  newestBelow,
  setNewestBelow,
}: {
  newer: Answer['newer_sub_pipelines']
  newestBelow: boolean
  setNewestBelow: (newest: boolean) => void
}) {
  // With the newest chosen the answer names none.
  if (newer.length === 0 && !newestBelow) return null
  const named = newer.map(
    ({ pipeline_id, revision, newest }) =>
      `${pipeline_id} has revision ${newest}; this run stays with revision ${revision}.`,
  )
  return (
    <label className="flex items-start gap-2.5">
      <input
        type="checkbox"
        className="mt-1 size-3.5 shrink-0 accent-(--accent)"
        checked={newestBelow}
        onChange={(event) => setNewestBelow(event.target.checked)}
      />
      <span>
        Take the newest sub-pipelines, in a new run
        <span className="block text-xs text-faint">
          {named.length > 0 ? named.join(' ') : 'Every sub-pipeline runs in its newest revision.'}
        </span>
      </span>
    </label>
  )
}
