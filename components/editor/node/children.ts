'use client'

import { useQueries } from '@tanstack/react-query'
import { api, type PipelineDocument } from '@/components/api'
import type { Definition } from '@/components/editor/model/draft/draft'
import { useDraft } from '@/components/editor/editor-context'
import { nodesOf } from '@/components/editor/model/flow'
import { isRecord } from '@/core/pipeline/json'
import type { Children } from '@/components/editor/model/node/readable'

/** The ids of the pipelines that nodes run, as one text, so that an unchanged list causes no new queries. */
function childIds(definition: Definition): string {
  const ids = nodesOf(definition).flatMap(({ pipeline }) => (typeof pipeline === 'string' ? [pipeline] : []))
  return [...new Set(ids)].slice(0, 50).join(' ')
}

/** What the pipelines that are run by nodes give, as far as it is known. */
export function useChildren(): Children {
  const ids = useDraft(({ definition }) => childIds(definition))
  return useQueries({
    queries: ids
      .split(' ')
      .filter(Boolean)
      .map((id) => api.pipelines.get.queryOptions({ pipeline_id: id }, { staleTime: 60_000, retry: false })),
    combine: outputsOf,
  })
}

function outputsOf(found: readonly { readonly data: PipelineDocument | undefined }[]): Children {
  return new Map(
    found.flatMap(({ data }) => {
      if (data === undefined) return []
      const { outputs } = data.definition
      const known = isRecord(outputs) ? Object.entries(outputs) : []
      return [
        [
          data.id,
          known.map(([name, output]) => ({
            name,
            type: '',
            doc: isRecord(output) && typeof output['description'] === 'string' ? output['description'] : '',
          })),
        ] as const,
      ]
    }),
  )
}
