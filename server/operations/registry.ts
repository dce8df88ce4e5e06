import { apiDocument } from './api-document'
import { cancelExecution } from './cancel-execution'
import { completeNode } from './complete-node'
import { countApprovals } from './count-approvals'
import { createPipeline } from './create-pipeline'
import { createWebhook } from './create-webhook'
import { decideApproval } from './decide-approval'
import { deleteDraft } from './delete-draft'
import { deletePipeline } from './delete-pipeline'
import { deletePool } from './delete-pool'
import { deleteSecret } from './delete-secret'
import { deleteWebhook } from './delete-webhook'
import { diffRevisions } from './diff-revisions'
import { explainNode } from './explain-node'
import { followExecution } from './follow-execution'
import { followLogs } from './follow-logs'
import { followMany } from './follow-many'
import { forkExecution } from './fork-execution'
import { getDraft } from './get-draft'
import { getEvent } from './get-event'
import { getExecution } from './get-execution'
import { getNodeTrace } from './get-node-trace'
import { getObjectives } from './get-objectives'
import { getPool } from './get-pool'
import { getPipeline } from './get-pipeline'
import { getWebhook } from './get-webhook'
import { health } from './health'
import { listApprovals } from './list-approvals'
import { listArtifacts } from './list-artifacts'
import { listDeliveries } from './list-deliveries'
import { listDrafts } from './list-drafts'
import { listEstimates } from './list-estimates'
import { listExamples } from './list-examples'
import { listExecutions } from './list-executions'
import { listForks } from './list-forks'
import { listPipelines } from './list-pipelines'
import { listRevisions } from './list-revisions'
import { listSchedules } from './list-schedules'
import { listPools } from './list-pools'
import { listQueue } from './list-queue'
import { listSecrets } from './list-secrets'
import { listVariables } from './list-variables'
import { listWebhooks } from './list-webhooks'
import { openPipeline } from './open-pipeline'
import { overview } from './overview'
import { pauseExecution } from './pause-execution'
import { pipelineDurations } from './pipeline-durations'
import { previewFork } from './preview-fork'
import { publishEvent } from './publish-event'
import { putDraft } from './put-draft'
import { putPool } from './put-pool'
import { putSecret } from './put-secret'
import { queryEvents } from './query-events'
import { artifactContent } from './read-artifact'
import { readEntries } from './read-entries'
import { readLogs } from './read-logs'
import { redeliver } from './redeliver'
import { removeExecution } from './remove-execution'
import { repairExecution } from './repair-execution'
import { rerunExecution } from './rerun-execution'
import { resumeExecution } from './resume-execution'
import { rollbackExecution } from './rollback-execution'
import { startExecution } from './start-execution'
import { switchSchedule } from './switch-schedule'
import { taskCatalog } from './task-catalog'
import { tryNode } from './try-node'
import { updatePipeline } from './update-pipeline'
import { updateWebhook } from './update-webhook'
import { validatePipeline } from './validate-pipeline'
import { whoami } from './whoami'
import type { AnyOperation, Content } from './operation'

/**
 * Every operation by group and name: the one list that the REST routes, the tRPC router, the OpenAPI document and the tests read.
 * `executions.start` is its tRPC path and its operationId; the group is its tag.
 */
export const registry = {
  pipelines: {
    list: listPipelines,
    get: getPipeline,
    open: openPipeline,
    examples: listExamples,
    revisions: listRevisions,
    diff: diffRevisions,
    durations: pipelineDurations,
    validate: validatePipeline,
    try: tryNode,
    create: createPipeline,
    update: updatePipeline,
    remove: deletePipeline,
  },
  drafts: {
    list: listDrafts,
    get: getDraft,
    put: putDraft,
    remove: deleteDraft,
  },
  executions: {
    list: listExecutions,
    get: getExecution,
    entries: readEntries,
    estimates: listEstimates,
    events: queryEvents,
    event: getEvent,
    variables: listVariables,
    artifacts: listArtifacts,
    artifact: artifactContent,
    logs: readLogs,
    explain: explainNode,
    trace: getNodeTrace,
    follow: followExecution,
    followLogs: followLogs,
    followMany: followMany,
    start: startExecution,
    cancel: cancelExecution,
    pause: pauseExecution,
    resume: resumeExecution,
    rerun: rerunExecution,
    rollback: rollbackExecution,
    completeByHand: completeNode,
    fork: forkExecution,
    previewFork: previewFork,
    forks: listForks,
    remove: removeExecution,
  },
  events: {
    publish: publishEvent,
  },
  approvals: {
    list: listApprovals,
    count: countApprovals,
    decide: decideApproval,
  },
  webhooks: {
    list: listWebhooks,
    get: getWebhook,
    deliveries: listDeliveries,
    create: createWebhook,
    update: updateWebhook,
    remove: deleteWebhook,
    redeliver: redeliver,
  },
  schedules: {
    list: listSchedules,
    switch: switchSchedule,
  },
  secrets: {
    list: listSecrets,
    put: putSecret,
    remove: deleteSecret,
  },
  pools: {
    list: listPools,
    get: getPool,
    put: putPool,
    remove: deletePool,
  },
  queue: {
    list: listQueue,
  },
  tasks: {
    catalog: taskCatalog,
  },
  overview: {
    get: overview,
  },
  health: {
    get: health,
    repair: repairExecution,
  },
  objectives: {
    get: getObjectives,
  },
  session: {
    whoami: whoami,
  },
  api: {
    document: apiDocument,
  },
} as const

type Registry = typeof registry
export type Group = keyof Registry

/** What belongs to each group, for the document. */
export const groupDescriptions: Readonly<Record<Group, string>> = {
  pipelines: 'Definitions of pipelines and their revisions.',
  drafts: 'What you have written and not published yet.',
  executions: 'Runs of pipelines: start, follow, steer and read them.',
  events: 'Events from outside.',
  approvals: 'Decisions that people take.',
  webhooks: 'Addresses that get events as they happen.',
  schedules: 'Cron triggers of pipelines.',
  secrets: 'Values that pipelines name and nobody can read back.',
  pools: 'How much attempts may use at once: slots, cpu, memory, gpu, and what you name.',
  queue: 'What waits, and for what.',
  tasks: 'Task types that nodes can have.',
  overview: 'What is going on now.',
  health: 'Whether the server works as it should.',
  objectives: 'What the server promises, and how it was measured.',
  session: 'Who you are.',
  api: 'The API itself.',
}

/** Names of the calls whose answers a transport writes by itself. */
export type ContentName = {
  [G in Group]: {
    [Name in keyof Registry[G] & string]: Registry[G][Name] extends Content ? `${G}.${Name}` : never
  }[keyof Registry[G] & string]
}[Group]

export type Registered = {
  readonly group: Group
  /** `executions.start` */
  readonly name: string
  readonly operation: AnyOperation | Content
}

/** The registry as a list, in its order. */
export const registered: readonly Registered[] = Object.entries(registry).flatMap(([group, operations]) =>
  Object.entries(operations).map(([name, operation]: [string, AnyOperation | Content]) => ({
    group: group as Group,
    name: `${group}.${name}`,
    operation,
  })),
)

/** Whether the transport writes the answer. */
export function isContent(operation: AnyOperation | Content): operation is Content {
  return 'content' in operation
}
