import { useQuery } from '@tanstack/react-query'
import { api } from '@/components/api'
import { useSession } from '@/components/editor/session-context'

/** The most triggers that a pipeline may have. */
const MOST = 50

const NONE: readonly { readonly trigger_id: string; readonly active: boolean }[] = []

/** The schedules of the pipeline that is edited, as the server has them: somebody may have switched one off. */
export function useSchedules(isAsked = true) {
  const { pipelineId } = useSession()
  const { data } = useQuery(
    api.schedules.list.queryOptions({ pipeline: pipelineId, limit: MOST }, { enabled: isAsked }),
  )
  return data?.items ?? NONE
}
