import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { client } from '@/components/api'
import { useChecks, useEditor } from '@/components/editor/editor-context'
import type { Finding } from '@/core/pipeline/check/check'
import { referencesOf } from '@/components/editor/model/problems/references'

/** How long a name must stay unchanged until the server is asked for it, in milliseconds. */
const PAUSE_MS = 400

const NONE: readonly Finding[] = []

/** Codes of what only the server can find. */
const codes = new Set([
  'unknown_secret',
  'unknown_pipeline',
  'unknown_input',
  'missing_input',
  'unknown_role',
  'unreachable_quorum',
  'task_disabled',
  'unknown_pool',
  'pool_too_small',
])

/** What the draft names that the server does not have: secrets, pipelines, roles. Empty until the server has answered. */
export function useAbsent(): readonly Finding[] {
  const { draft } = useEditor()
  const named = useChecks(({ of }) => (of === null ? '' : referencesOf(of)))
  // The server looks for what is absent only in a definition without errors.
  const sound = useChecks(({ findings }) => findings.every(({ severity }) => severity !== 'error'))
  const asked = usePaused(named)
  const { data } = useQuery({
    queryKey: ['absent', asked],
    queryFn: async () => {
      const { issues } = await client.pipelines.validate.mutate({ definition: draft.getState().definition })
      return issues.flatMap(({ path, code, message, hint, severity }): Finding[] =>
        codes.has(code)
          ? [{ path, code, message, ...(hint === undefined ? {} : { hint }), severity, counterExample: [] }]
          : [],
      )
    },
    enabled: asked !== '' && asked === named && sound,
    staleTime: 30_000,
    retry: false,
  })
  return asked === named ? (data ?? NONE) : NONE
}

function usePaused(text: string): string {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return paused
}
