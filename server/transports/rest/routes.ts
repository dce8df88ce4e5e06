import { z } from 'zod'
import { cancelExecution } from '@/server/operations/cancel-execution'
import { createPipeline } from '@/server/operations/create-pipeline'
import { createWebhook } from '@/server/operations/create-webhook'
import { decideApproval } from '@/server/operations/decide-approval'
import { deleteDraft } from '@/server/operations/delete-draft'
import { deletePipeline } from '@/server/operations/delete-pipeline'
import { deleteSecret } from '@/server/operations/delete-secret'
import { deleteWebhook } from '@/server/operations/delete-webhook'
import { diffRevisions } from '@/server/operations/diff-revisions'
import { explainNode } from '@/server/operations/explain-node'
import { forkExecution } from '@/server/operations/fork-execution'
import { getDraft } from '@/server/operations/get-draft'
import { getEvent } from '@/server/operations/get-event'
import { getExecution } from '@/server/operations/get-execution'
import { getPipeline } from '@/server/operations/get-pipeline'
import { health } from '@/server/operations/health'
import { getWebhook } from '@/server/operations/get-webhook'
import { listApprovals } from '@/server/operations/list-approvals'
import { listArtifacts } from '@/server/operations/list-artifacts'
import { listDeliveries } from '@/server/operations/list-deliveries'
import { listExamples } from '@/server/operations/list-examples'
import { listDrafts } from '@/server/operations/list-drafts'
import { listExecutions } from '@/server/operations/list-executions'
import { listPipelines } from '@/server/operations/list-pipelines'
import { listRevisions } from '@/server/operations/list-revisions'
import { listSecrets } from '@/server/operations/list-secrets'
import { listSchedules } from '@/server/operations/list-schedules'
import { listVariables } from '@/server/operations/list-variables'
import { listWebhooks } from '@/server/operations/list-webhooks'
import { overview } from '@/server/operations/overview'
import { pauseExecution } from '@/server/operations/pause-execution'
import { pipelineDurations } from '@/server/operations/pipeline-durations'
import { publishEvent } from '@/server/operations/publish-event'
import { putDraft } from '@/server/operations/put-draft'
import { putSecret } from '@/server/operations/put-secret'
import { queryEvents } from '@/server/operations/query-events'
import { readArtifact } from '@/server/operations/read-artifact'
import { readEntries } from '@/server/operations/read-entries'
import { readLogs } from '@/server/operations/read-logs'
import { removeExecution } from '@/server/operations/remove-execution'
import { repairExecution } from '@/server/operations/repair-execution'
import { redeliver } from '@/server/operations/redeliver'
import { rerunExecution } from '@/server/operations/rerun-execution'
import { resumeExecution } from '@/server/operations/resume-execution'
import { startExecution } from '@/server/operations/start-execution'
import { switchSchedule } from '@/server/operations/switch-schedule'
import { taskCatalog } from '@/server/operations/task-catalog'
import { tryNode } from '@/server/operations/try-node'
import { updatePipeline } from '@/server/operations/update-pipeline'
import { updateWebhook } from '@/server/operations/update-webhook'
import { validatePipeline } from '@/server/operations/validate-pipeline'
import { whoami } from '@/server/operations/whoami'
import { bodyLimits } from '@/server/transports/body'
import { sendJson } from '@/server/transports/respond'
import { followExecution } from '@/server/transports/sse/follow-execution'
import { followLogs } from '@/server/transports/sse/follow-logs'
import { followMany } from '@/server/transports/sse/follow-many'
import type { Hub } from '@/server/transports/sse/hub'
import { sendArtifact } from './artifact-content'
import { openApi } from './openapi'
import { documentRoute, exchangeRoute, route, type Route } from './route'

const page = { limit: 'integer', cursor: 'text' } as const
const execution = '/executions/:execution_id'
const node = `${execution}/nodes/:node_id`
const webhook = '/webhooks/:webhook_id'
const draft = '/pipelines/:pipeline_id/draft'

/** Every REST call below `/api/v1`: the only table of them, read by the router, by the generated document and by the tests. */
export function restRoutes(hub: Hub): readonly Route[] {
  const table: Route[] = [
    route('POST', '/pipelines', 'Create a pipeline', createPipeline, {
      body: 'definition',
      query: { note: 'text' },
      keyed: true,
      status: 201,
    }),
    route('GET', '/pipelines', 'List pipelines', listPipelines, { query: { ...page, search: 'text' } }),
    route('POST', '/pipelines/validate', 'Check a definition without storing it', validatePipeline, {
      body: 'definition',
    }),
    route('POST', '/pipelines/try', 'Run one node by itself, outside of any run', tryNode, {
      body: 'fields',
      bodyLimit: bodyLimits.definition,
      endsWithCaller: true,
    }),
    documentRoute('GET', '/pipelines/:pipeline_id', 'Read a pipeline (JSON or YAML)', getPipeline, {
      query: { revision: 'integer' },
    }),
    route('PUT', '/pipelines/:pipeline_id', 'Add a revision', updatePipeline, {
      body: 'definition',
      query: { note: 'text' },
      ifMatch: true,
    }),
    route('DELETE', '/pipelines/:pipeline_id', 'Delete a pipeline', deletePipeline, { status: 204 }),
    route('GET', '/pipelines/:pipeline_id/revisions', 'List revisions', listRevisions, { query: page }),
    route('GET', '/pipelines/:pipeline_id/diff', 'What differs between two revisions', diffRevisions, {
      query: { from: 'integer', to: 'integer' },
    }),
    route(
      'GET',
      '/pipelines/:pipeline_id/durations',
      'How long nodes took in the latest runs, and what they added to critical paths',
      pipelineDurations,
      { query: { limit: 'integer' } },
    ),
    route('GET', draft, 'Read your draft of a pipeline', getDraft),
    route('PUT', draft, 'Keep your draft of a pipeline', putDraft, {
      body: 'fields',
      bodyLimit: bodyLimits.definition,
      ifMatch: true,
    }),
    route('DELETE', draft, 'Discard your draft of a pipeline', deleteDraft, { status: 204 }),
    route('GET', '/drafts', 'Your drafts', listDrafts, { query: page }),
    route('GET', '/examples', 'The examples that come with the product', listExamples),
    route('POST', '/pipelines/:pipeline_id/executions', 'Start an execution', startExecution, {
      body: 'fields',
      keyed: true,
      status: 202,
    }),

    route('GET', '/executions', 'List executions, newest first', listExecutions, {
      query: { ...page, pipeline: 'text', status: 'list', label: 'text', from: 'text', to: 'text' },
    }),
    route('GET', execution, 'Read an execution', getExecution),
    route('DELETE', execution, 'Remove a closed execution with all that belongs to it', removeExecution, {
      status: 204,
    }),
    route('GET', `${execution}/events`, 'Query events by seq', queryEvents, {
      query: {
        ...page,
        event_types: 'list',
        entity_type: 'text',
        entity_id: 'text',
        from: 'text',
        to: 'text',
        after: 'integer',
        superseded: 'boolean',
      },
    }),
    route('GET', `${execution}/events/:event_type`, 'The latest event of a type', getEvent),
    route('HEAD', `${execution}/events/:event_type`, 'Whether an event of a type exists', getEvent),
    route(
      'GET',
      `${execution}/entries`,
      'Entries (events with their variable writes) after a seq',
      readEntries,
      {
        query: { after: 'integer', limit: 'integer' },
      },
    ),
    route('GET', `${execution}/variables`, 'The latest value of every variable', listVariables),
    route('GET', `${execution}/artifacts`, 'List artifacts', listArtifacts),
    exchangeRoute(
      'GET',
      `${execution}/artifacts/:artifact_id`,
      'The content of an artifact',
      { right: readArtifact.right, schema: readArtifact.request },
      sendArtifact,
    ),
    route('POST', `${execution}/cancel`, 'Cancel an execution', cancelExecution, {
      body: 'fields',
      keyed: true,
    }),
    route('POST', `${execution}/pause`, 'Pause an execution', pauseExecution, {
      body: 'fields',
      keyed: true,
    }),
    route('POST', `${execution}/resume`, 'Resume an execution', resumeExecution, {
      body: 'fields',
      keyed: true,
    }),
    route('POST', `${execution}/rerun`, 'Run nodes again, in the same execution', rerunExecution, {
      body: 'fields',
      keyed: true,
    }),
    route('POST', `${execution}/fork`, 'Start an execution from the state of another', forkExecution, {
      body: 'fields',
      keyed: true,
      status: 202,
    }),
    route('GET', `${node}/logs`, 'Log lines of a node', readLogs, {
      query: { attempt: 'integer', item: 'integer', after: 'integer', limit: 'integer', cursor: 'text' },
    }),
    route('GET', `${node}/explain`, 'Why a node is, or is not, running', explainNode),
    route('POST', `${node}/decision`, 'Approve or reject', decideApproval, { body: 'fields', keyed: true }),

    route('POST', '/events', 'Publish an external event', publishEvent, {
      body: 'fields',
      keyed: true,
      bodyAlso: ['idempotency_key'],
      status: 202,
    }),
    route('GET', '/approvals', 'Gates that wait for people', listApprovals, {
      query: { ...page, status: 'text', mine: 'boolean', execution_id: 'text' },
    }),
    route('GET', '/secrets', 'Names of secrets', listSecrets),
    route('PUT', '/secrets/:name', 'Set a secret', putSecret, { body: 'fields' }),
    route('DELETE', '/secrets/:name', 'Remove a secret', deleteSecret, { status: 204 }),
    route('GET', '/health', 'What does not hold, and how full the storage is', health),
    route('POST', '/health/repair', 'Take an execution up again from its journal', repairExecution, {
      body: 'fields',
    }),
    route('GET', '/webhooks', 'List webhooks', listWebhooks, { query: page }),
    route('POST', '/webhooks', 'Subscribe an address to events', createWebhook, {
      body: 'fields',
      keyed: true,
      status: 201,
    }),
    route('GET', webhook, 'Read a webhook', getWebhook),
    route('PUT', webhook, 'Replace a webhook, or rotate its secret', updateWebhook, { body: 'fields' }),
    route('DELETE', webhook, 'Delete a webhook with its deliveries', deleteWebhook, { status: 204 }),
    route('GET', `${webhook}/deliveries`, 'Deliveries, newest first', listDeliveries, {
      query: { ...page, status: 'text' },
    }),
    route('POST', `${webhook}/deliveries/:delivery_id/redeliver`, 'Send a delivery again', redeliver),
    route(
      'GET',
      '/schedules',
      'Cron triggers: when they fire next, what their last fire led to',
      listSchedules,
      {
        query: { ...page, pipeline: 'text' },
      },
    ),
    route('PUT', '/schedules/:pipeline_id/:trigger_id', 'Switch a schedule on or off', switchSchedule, {
      body: 'fields',
    }),
    route('GET', '/overview', 'What is going on now', overview),
    route('GET', '/tasks', 'Task types and their contracts', taskCatalog),
    route('GET', '/whoami', 'Who the caller is', whoami),

    followExecution(hub),
    followLogs(hub),
    followMany(hub),
  ]
  table.push(
    exchangeRoute(
      'GET',
      '/openapi.json',
      'This document',
      { right: 'know_self', schema: z.strictObject({}) },
      async ({ response }) => sendJson(response, 200, openApi(table)),
    ),
  )
  return table
}
