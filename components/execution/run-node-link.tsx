import { Link } from '@/components/ui/link'
import { useRunPart } from './run-context'
import { useScrub } from './scrub'

/** A link that selects the node in the graph, at the shown instant. */
export function RunNodeLink({ id }: { id: string }) {
  const executionId = useRunPart(({ view }) => view.execution_id)
  const name = useRunPart(({ pipeline }) => pipeline.nodes.get(id)?.definition.name)
  const { params } = useScrub()
  const to = params('')
  to.set('node', id)
  return (
    <Link
      href={`/executions/${executionId}/graph?${to}`}
      className="rounded-sm font-medium text-ink underline decoration-line-strong underline-offset-2 hover:text-accent"
    >
      {name ?? id}
    </Link>
  )
}
