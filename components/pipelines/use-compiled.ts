import { useEffect, useState } from 'react'
import type { PipelineDocument } from '@/components/api'
import { inSlices } from '@/components/ui/in-slices'
import { compileSteps, type Compiled } from '@/core/pipeline/definition/compile'
import { taskCatalog } from '@/tasks/contracts'

/** A compiled revision; null until it is ready. It is compiled in slices: a large one takes longer than the page may block. */
export function useCompiled(document: PipelineDocument): Compiled | null {
  const [found, setFound] = useState<{ readonly of: PipelineDocument; readonly compiled: Compiled } | null>(
    null,
  )
  useEffect(() => {
    let current = true
    const { definition, revision } = document
    void inSlices(compileSteps(definition, { revision, tasks: taskCatalog })).then((compiled) => {
      if (current) setFound({ of: document, compiled })
    })
    return () => {
      current = false
    }
  }, [document])
  return found?.of === document ? found.compiled : null
}
