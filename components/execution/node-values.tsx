'use client'

import { useMemo, useState } from 'react'
import { BindingsView } from '@/components/ui/bindings-view'
import { Copyable } from '@/components/ui/copyable'
import { Input } from '@/components/ui/field'
import { NamedValues } from '@/components/ui/value-view'
import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { startSeqOf } from './attempts'
import { Part } from './panel-part'
import { useRun } from './run-context'

/** Search is offered from this many characters on. */
const SEARCHED_FROM = 400

type Values = { readonly [name: string]: unknown }

/** The input and output of a node: side by side where the panel is wide, searched by one field. */
export function NodeValues({
  nodeId,
  compiled,
  outputs,
}: {
  nodeId: string
  compiled: CompiledNode
  /** null: no output yet. */
  outputs: Values | null
}) {
  const { events, inputAt } = useRun()
  const [query, setQuery] = useState('')
  const seq = startSeqOf(events, nodeId)
  const resolved = useMemo(() => (seq === null ? null : inputAt(nodeId, seq)), [inputAt, nodeId, seq])
  const written = compiled.definition.inputBindings ?? {}
  const hasInput = Object.keys(written).length > 0
  const input: Values | null = hasInput && resolved !== null && resolved.ok ? resolved.input : null
  const isLong = useMemo(() => JSON.stringify([input, outputs]).length > SEARCHED_FROM, [input, outputs])
  if (!hasInput && outputs === null) return null
  return (
    <div className="@container border-b border-line">
      {isLong && (
        <div className="px-4 pt-3">
          <Input
            type="search"
            aria-label="Search in input and output"
            placeholder="Search in input and output…"
            maxLength={200}
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
        </div>
      )}
      <div className="grid @2xl:grid-cols-2 @2xl:divide-x @2xl:divide-line">
        {hasInput && (
          <div className="min-w-0">
            {input === null ? (
              <Part title="Input as written">
                <BindingsView value={written} />
              </Part>
            ) : (
              <Part title="Input" note={<CopyJson value={input} />}>
                <NamedValues values={input} label="Input" query={query} />
                {JSON.stringify(written).includes('{{') && (
                  <details className="mt-1.5 text-xs text-muted">
                    <summary className="rounded-sm">With its expressions</summary>
                    <div className="mt-1.5">
                      <BindingsView value={written} />
                    </div>
                  </details>
                )}
              </Part>
            )}
          </div>
        )}
        {outputs !== null && (
          <div className="min-w-0 border-line @max-2xl:not-first:border-t">
            <Part title="Output" note={<CopyJson value={outputs} />}>
              <NamedValues values={outputs} label="Output" query={query} />
            </Part>
          </div>
        )}
      </div>
    </div>
  )
}

function CopyJson({ value }: { value: Values }) {
  return <Copyable text={() => JSON.stringify(value, null, 2)} shown="Copy JSON" />
}
