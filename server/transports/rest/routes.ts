import { apiDocument } from '@/server/operations/api-document'
import { parseRequest } from '@/server/operations/operation'
import { registered } from '@/server/operations/registry'
import { sendJson } from '@/server/transports/respond'
import { followExecutionHandler } from '@/server/transports/sse/follow-execution'
import { followLogsHandler } from '@/server/transports/sse/follow-logs'
import { followManyHandler } from '@/server/transports/sse/follow-many'
import type { Hub } from '@/server/transports/sse/hub'
import { sendArtifact } from './artifact-content'
import { openApi } from './openapi'
import { routesOf, type Handlers } from './route'
import { startHandler } from './start'

/** Every REST call below `/api/v1`, as the registry declares them. */
export const restRoutes = routesOf(registered)

let document: Record<string, unknown> | null = null

/** The handlers of what no operation returns, over the streams of one server. */
export function restHandlers(hub: Hub): Handlers {
  return {
    'executions.artifact': sendArtifact,
    'executions.follow': followExecutionHandler(hub),
    'executions.followLogs': followLogsHandler(hub),
    'executions.followMany': followManyHandler(hub),
    'executions.start': startHandler(hub),
    'api.document': async ({ response, fields }) => {
      parseRequest(apiDocument.request, fields)
      sendJson(response, 200, (document ??= openApi(restRoutes)))
    },
  }
}
