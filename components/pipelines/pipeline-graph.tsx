'use client'

import { useRouter, useSearchParams } from 'next/navigation'
import { useMemo } from 'react'
import { Workflow } from 'lucide-react'
import { Link } from '@/components/ui/link'
import { usePipelineName } from '@/components/api'
import { GraphCanvas } from '@/components/graph/canvas'
import { draw } from '@/components/graph/model/drawing'
import { NodeHeading } from '@/components/graph/node-heading'
import { BindingsView } from '@/components/ui/bindings-view'
import { JsonView } from '@/components/ui/json-view'
import { ErrorState } from '@/components/ui/states'
import { writeQuery } from '@/components/ui/write-query'
import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { usePipeline } from './pipeline-frame'
import { useCompiled } from './use-compiled'

/** The graph of a pipeline, and beside it the definition of the selected node. */
export function PipelineGraph() {
  const document = usePipeline()
  const router = useRouter()
  const params = useSearchParams()
  const selected = params.get('node')
  const compiled = useCompiled(document)
  const drawing = useMemo(() => (compiled?.ok ? draw(compiled.pipeline, null) : null), [compiled])
  if (compiled === null)
    return <div role="status" aria-label="Drawing the graph" className="min-h-0 flex-1" />
  if (!compiled.ok || drawing === null)
    return (
      <ErrorState
        what="This revision cannot be drawn."
        error={{ message: compiled.ok ? '' : compiled.issues.map((issue) => issue.message).join(' ') }}
      />
    )
  const select = (id: string | null) => {
    const next = new URLSearchParams(params)
    if (id === null) next.delete('node')
    else next.set('node', id)
    writeQuery(next)
  }
  const enter = (id: string) => {
    const child = compiled.pipeline.nodes.get(id)?.child
    if (child != null) router.push(`/pipelines/${child}`)
  }
  const node = selected === null ? undefined : compiled.pipeline.nodes.get(selected)
  return (
    <div className="relative flex min-h-0 flex-1">
      <div className="min-w-0 flex-1">
        <GraphCanvas
          drawing={drawing}
          positions={document.definition.layout}
          run={false}
          selected={selected}
          onSelect={select}
          onEnter={enter}
        />
      </div>
      {node !== undefined && (
        <div
          role="region"
          aria-label={`Node ${node.definition.name ?? node.id}`}
          onKeyDown={(event) => {
            if (event.key === 'Escape') select(null)
          }}
          className="absolute inset-0 z-10 overflow-y-auto border-l border-line bg-surface lg:relative lg:inset-auto lg:w-[400px] lg:shrink-0"
        >
          <NodeDefinitionPanel node={node} onClose={() => select(null)} />
        </div>
      )}
    </div>
  )
}

function NodeDefinitionPanel({ node, onClose }: { node: CompiledNode; onClose: () => void }) {
  const { definition } = node
  const childName = usePipelineName(node.child ?? '')
  const facts: [string, string | undefined][] = [
    ['Phase', definition.phase],
    ['Timeout', definition.timeout],
    ['Estimate', definition.estimate],
    ['Start timeout', definition.startTimeout],
    ['Items at once', definition.forEach?.concurrency?.toString()],
    ['Tries', node.retry === null ? undefined : `${node.retry.maxAttempts} (${node.retry.strategy})`],
    ['When its worker is lost', node.child === null ? node.onLost : undefined],
    ['A failure is allowed', node.allowFailure ? 'yes' : undefined],
    ['Runs after the end', node.finally ? 'yes' : undefined],
  ]
  return (
    <>
      <NodeHeading node={node} onClose={onClose} />
      <div className="flex flex-col gap-4 p-4">
        {definition.description !== undefined && <p className="text-muted">{definition.description}</p>}
        {node.child !== null && (
          <div>
            <h3 className="mb-1.5 text-xs font-semibold tracking-wide text-faint uppercase">Runs</h3>
            <Link
              href={`/pipelines/${node.child}`}
              className="inline-flex items-center gap-1.5 font-medium text-accent hover:underline"
            >
              <Workflow aria-hidden className="size-3.5" />
              <span>{childName}</span>
            </Link>
          </div>
        )}
        {definition.forEach !== undefined && (
          <div>
            <h3 className="mb-1.5 text-xs font-semibold tracking-wide text-faint uppercase">For each of</h3>
            <JsonView value={definition.forEach.items} />
          </div>
        )}
        <div>
          <h3 className="mb-1.5 text-xs font-semibold tracking-wide text-faint uppercase">Starts when</h3>
          <JsonView value={definition.startWhen} />
        </div>
        {definition.inputBindings !== undefined && (
          <div>
            <h3 className="mb-1.5 text-xs font-semibold tracking-wide text-faint uppercase">Input</h3>
            <BindingsView value={definition.inputBindings} />
          </div>
        )}
        {definition.outputVariables !== undefined && (
          <div>
            <h3 className="mb-1.5 text-xs font-semibold tracking-wide text-faint uppercase">
              Output variables
            </h3>
            <JsonView value={definition.outputVariables} />
          </div>
        )}
        <dl>
          {facts.map(
            ([label, value]) =>
              value !== undefined && (
                <div key={label} className="flex h-8 items-center gap-4 border-b border-line last:border-0">
                  <dt className="text-muted">{label}</dt>
                  <dd className="ml-auto font-mono text-xs">{value}</dd>
                </div>
              ),
          )}
        </dl>
      </div>
    </>
  )
}
