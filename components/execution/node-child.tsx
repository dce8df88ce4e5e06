import { ArrowRight, Workflow } from 'lucide-react'
import { Link } from '@/components/ui/link'
import { usePipelineName } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Part } from './panel-part'

/** The pipeline that a node runs, and its latest child run. Earlier child runs are shown with their attempts. */
export function NodeChild({ pipelineId, executionId }: { pipelineId: string; executionId: string | null }) {
  const name = usePipelineName(pipelineId)
  return (
    <Part title="Runs">
      <div className="flex items-center gap-2">
        <Workflow aria-hidden className="size-4 shrink-0 text-faint" />
        <Link href={`/pipelines/${pipelineId}`} className="min-w-0 truncate font-medium hover:text-accent">
          {name}
        </Link>
        {executionId !== null && (
          <Button asChild size="small" className="ml-auto">
            <Link href={`/executions/${executionId}`}>
              Open its run <ArrowRight aria-hidden />
            </Link>
          </Button>
        )}
      </div>
    </Part>
  )
}
