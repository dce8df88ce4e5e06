'use client'

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '@/components/api'
import { SmallDrawing } from '@/components/graph/small-drawing'
import { Button } from '@/components/ui/button'
import { compilePipeline } from '@/core/pipeline/definition/compile'
import { validateDefinition } from '@/core/pipeline/check/validate'
import { parseYaml } from '@/core/pipeline/yaml/yaml'
import { taskCatalog } from '@/tasks/contracts'
import type { Beginning } from './new-pipeline'

const MOST_NODES = 10_000

/** The examples of the product, each a start for a new pipeline. */
export function Gallery({ onUse }: { onUse: (from: Beginning) => void }) {
  const { data } = useQuery(api.pipelines.examples.queryOptions({}, { staleTime: Infinity }))
  if (data === undefined || data.items.length === 0) return null
  return (
    <details className="mt-8">
      <summary className="rounded-sm text-base font-semibold">Begin from an example</summary>
      <p className="mt-0.5 mb-3 text-muted">
        Each one uses real data. You get your own copy, to change as you like; the example itself stays as it
        is.
      </p>
      <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
        {data.items.map(({ id, name, description, yaml }) => (
          <li
            key={id}
            className="flex flex-col overflow-hidden rounded-lg border border-line bg-surface shadow-card"
          >
            <div className="grid h-32 place-items-center border-b border-line bg-ground p-3">
              <Picture yaml={yaml} />
            </div>
            <div className="flex flex-1 flex-col gap-1 p-4">
              <h3 className="font-semibold">{name}</h3>
              {description !== null && <p className="line-clamp-3 text-muted">{description}</p>}
              <Button
                className="mt-auto self-start"
                aria-label={`Use the example ${name}`}
                onClick={() => onUse({ name, yaml })}
              >
                Use this example
              </Button>
            </div>
          </li>
        ))}
      </ul>
    </details>
  )
}

function Picture({ yaml }: { yaml: string }) {
  const drawn = useMemo(() => {
    const parsed = parseYaml(yaml)
    if (!parsed.ok) return null
    const { definition } = validateDefinition(parsed.value, { tasks: taskCatalog, maxNodes: MOST_NODES })
    if (definition === undefined) return null
    const compiled = compilePipeline(definition, { revision: 1, tasks: taskCatalog })
    return compiled.ok ? { pipeline: compiled.pipeline, positions: definition.layout } : null
  }, [yaml])
  return drawn === null ? null : <SmallDrawing {...drawn} className="h-full w-full" />
}
