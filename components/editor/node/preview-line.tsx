'use client'

import { Link } from '@/components/ui/link'
import { useMemo } from 'react'
import { useDraft } from '@/components/editor/editor-context'
import { nodesOf, type NodeFields } from '@/components/editor/model/flow'
import { useSamples, valuesByName } from '@/components/editor/trial/samples'
import { RelativeTime } from '@/components/ui/time'
import { isRecord } from '@/core/pipeline/json'
import { firstItem, previewOf, type Values } from '@/components/editor/model/node/preview'
import type { Place } from '@/components/editor/model/node/readable'

/** What an expression gives by the values of the latest run, and which run that was. */
export function PreviewLine({ text, place }: { text: string; place: Place }) {
  const samples = useSamples()
  const values = useMemo(() => valuesByName(samples), [samples])
  const node = useDraft(({ definition }) => nodesOf(definition).find(({ id }) => id === place.node))
  const { run } = samples
  const own = [...samples.nodes.values()].some(({ from }) => from === 'pin' || from === 'try')
  if (run === null && !own)
    return <p className="text-xs text-faint">No run yet. After the first run its values are shown here.</p>
  if (place.in === 'retry' || place.in === 'webhook') return null
  const preview = previewOf(text, values, localsFor(place, node, values))
  if (preview === null) return null
  return (
    <p
      role="note"
      aria-label="Preview"
      className="flex min-w-0 flex-wrap items-baseline gap-x-2 text-xs text-faint"
    >
      {preview.kind === 'value' ? (
        <span
          className="max-w-full min-w-0 truncate rounded-sm bg-sunken px-1.5 font-mono text-ink"
          title={preview.text}
        >
          {preview.text === '' ? 'empty text' : preview.text}
        </span>
      ) : (
        <span className="text-warning">{preview.why}.</span>
      )}
      <span>
        {preview.kind === 'value' && `${preview.type}, `}
        by {own && (run === null ? 'what was pinned or tried' : 'what was pinned or tried, and the ')}
        {run !== null && (
          <>
            {!own && 'the '}
            <Link href={`/executions/${run.run}`} className="underline underline-offset-2 hover:text-ink">
              run of <RelativeTime at={run.at} />
            </Link>
            , revision {run.revision}
          </>
        )}
      </span>
    </p>
  )
}

function localsFor(
  place: Place,
  node: NodeFields | undefined,
  values: Values,
): { readonly [name: string]: unknown } {
  if (node === undefined || (place.in !== 'bindings' && place.in !== 'result')) return {}
  const item = isRecord(node['forEach']) ? firstItem(node['forEach']['items'], values) : null
  if (place.in === 'bindings') return item ?? {}
  const prefix = `${node.id}.`
  const result = [...values].filter(([name]) => name.startsWith(prefix))
  return {
    ...item,
    result: Object.fromEntries(result.map(([name, value]) => [name.slice(prefix.length), value])),
  }
}
