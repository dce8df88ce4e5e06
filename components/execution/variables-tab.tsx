'use client'

import { Variable } from 'lucide-react'
import { useState } from 'react'
import { artifactUrl, problemOf } from '@/components/api'
import { Card } from '@/components/ui/card'
import { Input } from '@/components/ui/field'
import { JsonView } from '@/components/ui/json-view'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states'
import { bytesText } from '@/components/ui/times'
import { preview } from './preview'
import { useRun } from './run-context'
import { useVariables } from './run-reading'

/** The latest value of every variable of the run. */
export function VariablesTab() {
  const [text, setText] = useState('')
  const [opened, setOpened] = useState<string | null>(null)
  const variables = useVariables()
  const { execution_id: executionId } = useRun().view
  const items = variables.items.filter((item) => item.name.toLowerCase().includes(text.toLowerCase()))
  return (
    <div className="mx-auto w-full max-w-6xl p-4 lg:p-6">
      <Input
        aria-label="Filter variables by name"
        placeholder="Filter by name…"
        className="mb-3 w-full sm:w-72"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Card>
        {variables.isPending ? (
          <SkeletonRows />
        ) : variables.error !== null ? (
          <ErrorState
            what="The variables could not be loaded."
            error={problemOf(variables.error)}
            retry={() => void variables.refetch()}
          />
        ) : items.length === 0 ? (
          <EmptyState icon={Variable} title={text === '' ? 'No variables yet' : 'No variable has this name'}>
            Nodes write their outputs as <code>node.output</code>; inputs are <code>pipeline.input.name</code>
            .
          </EmptyState>
        ) : (
          <ul>
            {items.map((item) => (
              <li key={item.name} className="border-b border-line last:border-0">
                <button
                  type="button"
                  aria-expanded={opened === item.name}
                  onClick={() => setOpened(opened === item.name ? null : item.name)}
                  className="flex min-h-9 w-full items-center gap-4 px-4 text-left -outline-offset-2 hover:bg-sunken"
                >
                  <code className="shrink-0 text-xs font-medium">{item.name}</code>
                  <code className="min-w-0 truncate text-xs text-muted">
                    {item.ref === undefined
                      ? preview(item.value)
                      : `${bytesText(item.ref.bytes)}, saved as a file`}
                  </code>
                  <span className="ml-auto hidden shrink-0 font-mono text-xs text-faint sm:block">
                    seq {item.seq}
                  </span>
                </button>
                {opened === item.name && (
                  <div className="px-4 pb-3">
                    {item.ref === undefined ? (
                      <JsonView value={item.value} />
                    ) : (
                      <a
                        href={artifactUrl(executionId, item.ref.artifact_id)}
                        target="_blank"
                        rel="noreferrer"
                        className="font-medium text-accent hover:underline"
                      >
                        Open the whole value <span className="sr-only">(opens in a new tab)</span>
                      </a>
                    )}
                  </div>
                )}
              </li>
            ))}
          </ul>
        )}
      </Card>
    </div>
  )
}
