import { cancelExecution } from '@/server/operations/cancel-execution'
import { countApprovals } from '@/server/operations/count-approvals'
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
import { getExecution } from '@/server/operations/get-execution'
import { getPipeline } from '@/server/operations/get-pipeline'
import { health } from '@/server/operations/health'
import { getWebhook } from '@/server/operations/get-webhook'
import { listApprovals } from '@/server/operations/list-approvals'
import { listArtifacts } from '@/server/operations/list-artifacts'
import { listDeliveries } from '@/server/operations/list-deliveries'
import { listEstimates } from '@/server/operations/list-estimates'
import { listExamples } from '@/server/operations/list-examples'
import { listDrafts } from '@/server/operations/list-drafts'
import { listExecutions } from '@/server/operations/list-executions'
import { listPipelines } from '@/server/operations/list-pipelines'
import { listRevisions } from '@/server/operations/list-revisions'
import { listSchedules } from '@/server/operations/list-schedules'
import { listSecrets } from '@/server/operations/list-secrets'
import { listVariables } from '@/server/operations/list-variables'
import { listWebhooks } from '@/server/operations/list-webhooks'
import { openPipeline } from '@/server/operations/open-pipeline'
import { overview } from '@/server/operations/overview'
import { pauseExecution } from '@/server/operations/pause-execution'
import { pipelineDurations } from '@/server/operations/pipeline-durations'
import { publishEvent } from '@/server/operations/publish-event'
import { putDraft } from '@/server/operations/put-draft'
import { putSecret } from '@/server/operations/put-secret'
import { queryEvents } from '@/server/operations/query-events'
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
import { allowed, router } from './procedures'

/** What pages call: the same operations, schemas and rights as REST. Live data comes by the event stream, not from here. */
export const appRouter = router({
  pipelines: router({
    list: allowed(listPipelines)
      .input(listPipelines.request)
      .query(({ ctx, input }) => listPipelines(ctx.operations, ctx.caller, input)),
    get: allowed(getPipeline)
      .input(getPipeline.request)
      .query(({ ctx, input }) => getPipeline(ctx.operations, ctx.caller, input)),
    open: allowed(openPipeline)
      .input(openPipeline.request)
      .query(({ ctx, input }) => openPipeline(ctx.operations, ctx.caller, input)),
    examples: allowed(listExamples)
      .input(listExamples.request)
      .query(({ ctx, input }) => listExamples(ctx.operations, ctx.caller, input)),
    revisions: allowed(listRevisions)
      .input(listRevisions.request)
      .query(({ ctx, input }) => listRevisions(ctx.operations, ctx.caller, input)),
    diff: allowed(diffRevisions)
      .input(diffRevisions.request)
      .query(({ ctx, input }) => diffRevisions(ctx.operations, ctx.caller, input)),
    durations: allowed(pipelineDurations)
      .input(pipelineDurations.request)
      .query(({ ctx, input }) => pipelineDurations(ctx.operations, ctx.caller, input)),
    /** A mutation only because definitions do not fit into an address; it changes nothing. */
    validate: allowed(validatePipeline)
      .input(validatePipeline.request)
      .mutation(({ ctx, input }) => validatePipeline(ctx.operations, ctx.caller, input)),
    try: allowed(tryNode)
      .input(tryNode.request)
      .mutation(({ ctx, input, signal }) => tryNode(ctx.operations, ctx.caller, input, signal)),
    create: allowed(createPipeline)
      .input(createPipeline.request)
      .mutation(({ ctx, input }) => createPipeline(ctx.operations, ctx.caller, input)),
    update: allowed(updatePipeline)
      .input(updatePipeline.request)
      .mutation(({ ctx, input }) => updatePipeline(ctx.operations, ctx.caller, input)),
    remove: allowed(deletePipeline)
      .input(deletePipeline.request)
      .mutation(({ ctx, input }) => deletePipeline(ctx.operations, ctx.caller, input)),
  }),
  drafts: router({
    list: allowed(listDrafts)
      .input(listDrafts.request)
      .query(({ ctx, input }) => listDrafts(ctx.operations, ctx.caller, input)),
    get: allowed(getDraft)
      .input(getDraft.request)
      .query(({ ctx, input }) => getDraft(ctx.operations, ctx.caller, input)),
    put: allowed(putDraft)
      .input(putDraft.request)
      .mutation(({ ctx, input }) => putDraft(ctx.operations, ctx.caller, input)),
    remove: allowed(deleteDraft)
      .input(deleteDraft.request)
      .mutation(({ ctx, input }) => deleteDraft(ctx.operations, ctx.caller, input)),
  }),
  executions: router({
    list: allowed(listExecutions)
      .input(listExecutions.request)
      .query(({ ctx, input }) => listExecutions(ctx.operations, ctx.caller, input)),
    get: allowed(getExecution)
      .input(getExecution.request)
      .query(({ ctx, input }) => getExecution(ctx.operations, ctx.caller, input)),
    entries: allowed(readEntries)
      .input(readEntries.request)
      .query(({ ctx, input }) => readEntries(ctx.operations, ctx.caller, input)),
    estimates: allowed(listEstimates)
      .input(listEstimates.request)
      .query(({ ctx, input }) => listEstimates(ctx.operations, ctx.caller, input)),
    events: allowed(queryEvents)
      .input(queryEvents.request)
      .query(({ ctx, input }) => queryEvents(ctx.operations, ctx.caller, input)),
    variables: allowed(listVariables)
      .input(listVariables.request)
      .query(({ ctx, input }) => listVariables(ctx.operations, ctx.caller, input)),
    artifacts: allowed(listArtifacts)
      .input(listArtifacts.request)
      .query(({ ctx, input }) => listArtifacts(ctx.operations, ctx.caller, input)),
    logs: allowed(readLogs)
      .input(readLogs.request)
      .query(({ ctx, input }) => readLogs(ctx.operations, ctx.caller, input)),
    explain: allowed(explainNode)
      .input(explainNode.request)
      .query(({ ctx, input }) => explainNode(ctx.operations, ctx.caller, input)),
    start: allowed(startExecution)
      .input(startExecution.request)
      .mutation(({ ctx, input }) => startExecution(ctx.operations, ctx.caller, input)),
    cancel: allowed(cancelExecution)
      .input(cancelExecution.request)
      .mutation(({ ctx, input }) => cancelExecution(ctx.operations, ctx.caller, input)),
    pause: allowed(pauseExecution)
      .input(pauseExecution.request)
      .mutation(({ ctx, input }) => pauseExecution(ctx.operations, ctx.caller, input)),
    resume: allowed(resumeExecution)
      .input(resumeExecution.request)
      .mutation(({ ctx, input }) => resumeExecution(ctx.operations, ctx.caller, input)),
    /** Also its dry run: what is asked may be too much for an address. */
    rerun: allowed(rerunExecution)
      .input(rerunExecution.request)
      .mutation(({ ctx, input }) => rerunExecution(ctx.operations, ctx.caller, input)),
    fork: allowed(forkExecution)
      .input(forkExecution.request)
      .mutation(({ ctx, input }) => forkExecution(ctx.operations, ctx.caller, input)),
    remove: allowed(removeExecution)
      .input(removeExecution.request)
      .mutation(({ ctx, input }) => removeExecution(ctx.operations, ctx.caller, input)),
  }),
  events: router({
    publish: allowed(publishEvent)
      .input(publishEvent.request)
      .mutation(({ ctx, input }) => publishEvent(ctx.operations, ctx.caller, input)),
  }),
  approvals: router({
    list: allowed(listApprovals)
      .input(listApprovals.request)
      .query(({ ctx, input }) => listApprovals(ctx.operations, ctx.caller, input)),
    count: allowed(countApprovals)
      .input(countApprovals.request)
      .query(({ ctx, input }) => countApprovals(ctx.operations, ctx.caller, input)),
    decide: allowed(decideApproval)
      .input(decideApproval.request)
      .mutation(({ ctx, input }) => decideApproval(ctx.operations, ctx.caller, input)),
  }),
  webhooks: router({
    list: allowed(listWebhooks)
      .input(listWebhooks.request)
      .query(({ ctx, input }) => listWebhooks(ctx.operations, ctx.caller, input)),
    get: allowed(getWebhook)
      .input(getWebhook.request)
      .query(({ ctx, input }) => getWebhook(ctx.operations, ctx.caller, input)),
    deliveries: allowed(listDeliveries)
      .input(listDeliveries.request)
      .query(({ ctx, input }) => listDeliveries(ctx.operations, ctx.caller, input)),
    create: allowed(createWebhook)
      .input(createWebhook.request)
      .mutation(({ ctx, input }) => createWebhook(ctx.operations, ctx.caller, input)),
    update: allowed(updateWebhook)
      .input(updateWebhook.request)
      .mutation(({ ctx, input }) => updateWebhook(ctx.operations, ctx.caller, input)),
    remove: allowed(deleteWebhook)
      .input(deleteWebhook.request)
      .mutation(({ ctx, input }) => deleteWebhook(ctx.operations, ctx.caller, input)),
    redeliver: allowed(redeliver)
      .input(redeliver.request)
      .mutation(({ ctx, input }) => redeliver(ctx.operations, ctx.caller, input)),
  }),
  overview: router({
    get: allowed(overview)
      .input(overview.request)
      .query(({ ctx, input }) => overview(ctx.operations, ctx.caller, input)),
  }),
  health: router({
    get: allowed(health)
      .input(health.request)
      .query(({ ctx, input }) => health(ctx.operations, ctx.caller, input)),
    repair: allowed(repairExecution)
      .input(repairExecution.request)
      .mutation(({ ctx, input }) => repairExecution(ctx.operations, ctx.caller, input)),
  }),
  tasks: router({
    catalog: allowed(taskCatalog)
      .input(taskCatalog.request)
      .query(({ ctx, input }) => taskCatalog(ctx.operations, ctx.caller, input)),
  }),
  schedules: router({
    list: allowed(listSchedules)
      .input(listSchedules.request)
      .query(({ ctx, input }) => listSchedules(ctx.operations, ctx.caller, input)),
    switch: allowed(switchSchedule)
      .input(switchSchedule.request)
      .mutation(({ ctx, input }) => switchSchedule(ctx.operations, ctx.caller, input)),
  }),
  secrets: router({
    list: allowed(listSecrets)
      .input(listSecrets.request)
      .query(({ ctx, input }) => listSecrets(ctx.operations, ctx.caller, input)),
    put: allowed(putSecret)
      .input(putSecret.request)
      .mutation(({ ctx, input }) => putSecret(ctx.operations, ctx.caller, input)),
    remove: allowed(deleteSecret)
      .input(deleteSecret.request)
      .mutation(({ ctx, input }) => deleteSecret(ctx.operations, ctx.caller, input)),
  }),
  session: router({
    signOut: allowed(whoami).mutation(async ({ ctx }) => {
      await ctx.signOut()
      return { signed_out: true }
    }),
    whoami: allowed(whoami)
      .input(whoami.request)
      .query(({ ctx, input }) => whoami(ctx.operations, ctx.caller, input)),
  }),
})

export type AppRouter = typeof appRouter
