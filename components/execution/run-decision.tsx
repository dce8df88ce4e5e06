'use client'

import { Check, UserCheck, X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { artifactUrl, useWhoami } from '@/components/api'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import { Dialog } from '@/components/ui/dialog'
import { useListCommands } from '@/components/ui/listed-commands'
import { RowsView } from '@/components/ui/rows-view'
import { progressText } from '@/core/engine/view/approver-text'
import { approvedOf, decisionsOf, evidenceOf } from './decisions'
import { NodeApproval } from './node-approval'
import { isPicture } from './node-files'
import { useRun, useRunPart } from './run-context'
import { useArtifacts } from './run-reading'

type Chosen = { readonly node: string; readonly decision: 'approved' | 'rejected' }

/** What the run asks the person, in its header. The decision opens beside the charts and tables that the question is about. */
export function RunDecision() {
  const who = useWhoami()
  const asked = useRunPart((run) => (who === undefined ? [] : decisionsOf(run, who)))
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [first] = asked
  const { name, message, progress } = useRunPart(({ view, pipeline }) => {
    const approval = view.nodes[first ?? '']?.approval
    return {
      name: pipeline.nodes.get(first ?? '')?.definition.name ?? first ?? '',
      message: approval?.message ?? '',
      progress:
        approval != null && approval.quorum > 1 ? progressText(approvedOf(approval), approval.quorum) : null,
    }
  })
  useListCommands(() =>
    first === undefined
      ? []
      : [
          {
            ...{ id: 'approve', title: `Approve “${name}”…`, icon: Check },
            run: () => setChosen({ node: first, decision: 'approved' }),
          },
          {
            ...{ id: 'reject', title: `Reject “${name}”…`, icon: X },
            run: () => setChosen({ node: first, decision: 'rejected' }),
          },
        ],
  )
  if (first === undefined) return null
  return (
    <div
      role="group"
      aria-label="Decision"
      data-status="waiting"
      className="status-tint mt-2 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md px-3 py-2"
    >
      <UserCheck aria-hidden className="status-ink size-4 shrink-0" />
      <p className="line-clamp-2 max-sm:line-clamp-4 min-w-0 flex-1 basis-64 break-words">
        <span className="font-medium">{name}</span>
        {message !== '' && message !== name && <> · {message}</>}
        {progress !== null && <span className="text-muted"> · {progress}</span>}
        {asked.length > 1 && <span className="text-muted"> · and {asked.length - 1} more</span>}
      </p>
      <div className="flex gap-2">
        <Button
          tone="primary"
          aria-label={`Approve… ${name}`}
          onClick={() => setChosen({ node: first, decision: 'approved' })}
        >
          <Check aria-hidden /> Approve…
        </Button>
        <Button
          tone="danger"
          aria-label={`Reject… ${name}`}
          onClick={() => setChosen({ node: first, decision: 'rejected' })}
        >
          <X aria-hidden /> Reject…
        </Button>
      </div>
      {/* Closes by itself when the person has decided, or somebody else has. */}
      {chosen !== null && asked.includes(chosen.node) && (
        <DecisionDialog chosen={chosen} onClose={() => setChosen(null)} />
      )}
    </div>
  )
}

function DecisionDialog({
  chosen: { node: nodeId, decision },
  onClose,
}: {
  chosen: Chosen
  onClose: () => void
}) {
  const { view, pipeline } = useRun()
  const { data } = useArtifacts()
  const { files, tables } = useMemo(
    () => evidenceOf(pipeline, view.nodes, data?.items ?? [], nodeId),
    [pipeline, view.nodes, data, nodeId],
  )
  const node = view.nodes[nodeId]
  if (node?.approval == null) return null
  const nameOf = (id: string) => pipeline.nodes.get(id)?.definition.name ?? id
  const pictures = files.filter(isPicture)
  const others = files.filter((file) => !isPicture(file))
  const hasEvidence = files.length + tables.length > 0
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={nameOf(nodeId)}
      className={cn(hasEvidence && 'max-h-[90dvh] w-[min(1120px,calc(100vw-2rem))]')}
    >
      <div
        className={cn('min-h-0 overflow-y-auto', hasEvidence && 'lg:grid lg:grid-cols-[minmax(0,1fr)_380px]')}
      >
        <div className="lg:order-last">
          <NodeApproval
            executionId={view.execution_id}
            nodeId={nodeId}
            node={node}
            approval={node.approval}
            begins={decision}
          />
        </div>
        {hasEvidence && (
          <section aria-label="What it is about" className="flex min-w-0 flex-col gap-4 px-5 py-3">
            {pictures.map((file) => (
              <figure key={file.artifact_id}>
                <img
                  src={artifactUrl(view.execution_id, file.artifact_id)}
                  alt={file.name}
                  className="max-h-96 max-w-full rounded-md border border-line bg-white"
                />
                <figcaption className="mt-1 text-xs text-faint">{nameOf(file.node_id)}</figcaption>
              </figure>
            ))}
            {tables.map(({ node: of, name, rows }) => (
              <div key={`${of} ${name}`}>
                <p className="mb-1 text-xs text-faint">
                  {nameOf(of)} · {name}
                </p>
                <RowsView rows={rows} label={`${nameOf(of)}: ${name}`} />
              </div>
            ))}
            {others.length > 0 && (
              <ul aria-label="Files" className="flex flex-wrap gap-x-4 gap-y-1">
                {others.map((file) => (
                  <li key={file.artifact_id}>
                    <a
                      href={artifactUrl(view.execution_id, file.artifact_id)}
                      target="_blank"
                      rel="noreferrer"
                      className="font-medium text-accent hover:underline"
                    >
                      {file.name}
                      <span className="sr-only"> (opens in a new tab)</span>
                    </a>
                  </li>
                ))}
              </ul>
            )}
          </section>
        )}
      </div>
    </Dialog>
  )
}
