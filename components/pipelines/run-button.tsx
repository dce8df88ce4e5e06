'use client'

import { useQuery } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { useState } from 'react'
import { api, useMay, type PipelineDocument } from '@/components/api'
import { Button } from '@/components/ui/button'
import { writeQuery } from '@/components/ui/write-query'
import { RunDialog } from './run-dialog'

/** Opens the form to run a pipeline. The pipeline is read when it is needed. */
export function RunButton({
  pipelineId,
  name,
  primary = false,
  document,
}: {
  pipelineId: string
  name: string
  primary?: boolean
  /** The pipeline whose page this is: `?run=` opens the form as well. */
  document?: PipelineDocument
}) {
  const mayOperate = useMay('operate')
  const [pressed, setPressed] = useState(false)
  const params = useSearchParams()
  const inHeader = document !== undefined
  const asked = inHeader && params.has('run')
  const open = pressed || asked
  const { data = document } = useQuery(
    api.pipelines.get.queryOptions({ pipeline_id: pipelineId }, { enabled: open && !inHeader }),
  )
  function change(next: boolean): void {
    setPressed(next)
    if (next || !asked) return
    const rest = new URLSearchParams(params)
    rest.delete('run')
    writeQuery(rest)
  }
  if (!mayOperate) return null
  return (
    <>
      <Button
        tone={primary ? 'primary' : 'plain'}
        aria-label={inHeader ? undefined : `Run ${name}`}
        className="relative z-10"
        onClick={() => setPressed(true)}
      >
        <Play aria-hidden /> Run{inHeader && '…'}
      </Button>
      {data !== undefined && <RunDialog document={data} open={open} onOpenChange={change} />}
    </>
  )
}
