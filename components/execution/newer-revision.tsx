'use client'

import { GitBranchPlus, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Link } from '@/components/ui/link'
import { useListCommands } from '@/components/ui/listed-commands'
import { RerunDialog } from './rerun-dialog'
import { comparisonOf, useNewerRevision } from './revision-choice'
import { useRunPart } from './run-context'
import { tallyOf } from './tally'

/** For a run that did not go through: the pipeline was changed since, and the run can go on with the newest revision. */
export function NewerRevision() {
  const isStuck = useRunPart(
    ({ view, past }) => past === null && view.finished_at !== null && tallyOf(view.nodes).stopped,
  )
  const mayOperate = useMay('operate')
  return isStuck && mayOperate ? <Offer /> : null
}

function Offer() {
  const { pipelineId, own } = useRunPart(({ view }) => ({ pipelineId: view.pipeline_id, own: view.revision }))
  const newer = useNewerRevision()
  const [open, setOpen] = useState(false)
  const title = `Rerun with revision ${newer}…`
  useListCommands(() =>
    newer === null ? [] : [{ id: 'rerun-newest', title, icon: RotateCcw, run: () => setOpen(true) }],
  )
  if (newer === null) return null
  return (
    <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1.5 text-muted">
      <span className="flex min-w-0 items-start gap-2">
        <GitBranchPlus aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span>
          Revision {newer} is newer than revision {own} of this run:{' '}
          <Link
            href={comparisonOf(pipelineId, own, newer)}
            className="font-medium text-accent hover:underline"
          >
            what differs
          </Link>
        </span>
      </span>
      <Button size="small" onClick={() => setOpen(true)}>
        <RotateCcw aria-hidden /> {title}
      </Button>
      <RerunDialog nodes="failed" withNewest open={open} onOpenChange={setOpen} />
    </div>
  )
}
