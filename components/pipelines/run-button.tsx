'use client'

import { useQuery } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useState } from 'react'
import { api } from '@/components/api'
import { Button } from '@/components/ui/button'
import { RunDialog } from './run-dialog'

/** Opens the form to run a pipeline. The pipeline is read when it is needed. */
export function RunButton({
  pipelineId,
  name,
  primary = false,
}: {
  pipelineId: string
  name: string
  primary?: boolean
}) {
  const [open, setOpen] = useState(false)
  const { data } = useQuery(
    api.pipelines.get.queryOptions({ pipeline_id: pipelineId }, { enabled: open || primary }),
  )
  return (
    <>
      <Button
        tone={primary ? 'primary' : 'plain'}
        aria-label={primary ? undefined : `Run ${name}`}
        className="relative z-10"
        onClick={() => setOpen(true)}
      >
        <Play aria-hidden /> Run{primary && '…'}
      </Button>
      {data !== undefined && <RunDialog document={data} open={open} onOpenChange={setOpen} />}
    </>
  )
}
