'use client'

import { useQuery } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { useState } from 'react'
import { api, useMay, type PipelineDocument } from '@/components/api'
import { Button } from '@/components/ui/button'
import { useListCommands } from '@/components/ui/listed-commands'
import { writeQuery } from '@/components/ui/write-query'
import { RunDialog } from './run-dialog'

/** Opens the form to run a pipeline. The pipeline is read when the form opens. */
export function RunButton({
  pipelineId,
  name,
  primary = false,
  document,
}: {
  pipelineId: string
  name: string
  primary?: boolean
  /** The revision that is run, on the page of its pipeline, where `?run=` opens the form as well; absent: the current one. */
  document?: PipelineDocument
}) {
  const mayOperate = useMay('operate')
  const [pressed, setPressed] = useState(false)
  const params = useSearchParams()
  const inHeader = document !== undefined
  const asked = inHeader && params.has('run')
  const open = pressed || asked
  const latest = useQuery(
    api.pipelines.get.queryOptions({ pipeline_id: pipelineId }, { enabled: open && !inHeader }),
  )
  // The list may have read an earlier revision.
  const data = document ?? latest.data
  const isOld = inHeader && document.revision !== document.current_revision
  function change(next: boolean): void {
    setPressed(next)
    if (next || !asked) return
    const rest = new URLSearchParams(params)
    rest.delete('run')
    writeQuery(rest)
  }
  const text = isOld ? `Run revision ${document.revision}…` : inHeader ? 'Run…' : 'Run'
  useListCommands(() =>
    mayOperate && inHeader ? [{ id: 'run', title: text, icon: Play, run: () => setPressed(true) }] : [],
  )
  if (!mayOperate) return null
  return (
    <>
      <Button
        tone={primary ? 'primary' : 'plain'}
        aria-label={inHeader ? undefined : `Run ${name}`}
        className="relative z-10"
        onClick={() => setPressed(true)}
      >
        <Play aria-hidden /> {text}
      </Button>
      {data !== undefined && <RunDialog document={data} open={open} onOpenChange={change} />}
    </>
  )
}
