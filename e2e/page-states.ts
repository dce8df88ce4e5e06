// The states of the product in which every page is looked at: for its picture, and for what does not fit.
import { expect, type Rest } from './fixture'
import {
  asking,
  crowded,
  everyStatus,
  failing,
  handledOrNot,
  hostile,
  itemwise,
  large,
  mocked,
  review,
  sleeping,
  stubborn,
  unreadableFile,
  waitingForEvent,
} from './pipelines'

/** Settings of a server on which all of them can be reached. */
export const serverEnv = { PENSTOCK_MAX_CONCURRENT_TASKS: '2', PENSTOCK_ALLOW_SHELL: 'true' }

/** Looks at pages, by name, in a state of the product. */
export type Look = (state: string, pages: Record<string, string>) => Promise<void>

export async function waitingRun(rest: Rest): Promise<string> {
  const id = await rest.start('seattle_weather')
  await expect.poll(async () => (await rest.execution(id)).status, { timeout: 30_000 }).toBe('waiting')
  return id
}

/** Nobody has done anything yet. */
export async function nothing(_rest: Rest, look: Look): Promise<void> {
  await look('empty', {
    overview: '/',
    pipelines: '/pipelines',
    pipelines_none: '/pipelines?q=nothing-is-called-that',
    executions: '/executions',
    approvals: '/approvals',
    health: '/health',
    queue: '/queue',
    pipeline: '/pipelines/seattle_weather',
    pipeline_executions: '/pipelines/seattle_weather/executions',
  })
}

/** Runs that wait, failed, completed or were cancelled, and whatever people may write. */
export async function muchGoesOn(rest: Rest, look: Look): Promise<void> {
  await rest.define(failing('nightly_import'))
  await rest.define(waitingForEvent('shipment'))
  await rest.define(
    asking('ask_first', { form: { reason: { type: 'string', required: true, title: 'Reason' } } }),
  )
  await rest.define(crowded('crowded', 30_000))
  await rest.define(hostile('hostile'))
  await rest.define(large('large', 480))
  const done = await waitingRun(rest)
  await rest.decide(done, 'approval', 'approved')
  const failed = await rest.start('nightly_import')
  await rest.start('nightly_import')
  const cancelled = await rest.start('shipment')
  await rest.call('POST', `/executions/${cancelled}/cancel`, { reason: 'the ship is late' })
  const flights = await rest.start('flights')
  const data = await rest.start('data_ready')
  const asked = await rest.start('ask_first')
  const evil = await rest.start('hostile')
  const big = await rest.start('large')
  const run = await waitingRun(rest)
  for (const id of [done, flights, big])
    await expect.poll(async () => (await rest.execution(id)).status, { timeout: 60_000 }).toBe('completed')
  await rest.start('crowded')
  await look('full', {
    overview: '/',
    pipelines: '/pipelines',
    executions: '/executions',
    approvals: '/approvals',
    health: '/health',
    queue: '/queue',
    pipeline: '/pipelines/seattle_weather',
    pipeline_node: '/pipelines/seattle_weather?node=read',
    pipeline_code: '/pipelines/seattle_weather/code',
    pipeline_executions: '/pipelines/seattle_weather/executions',
    pipeline_revisions: '/pipelines/seattle_weather/revisions',
    pipeline_data_ready: '/pipelines/data_ready',
    run_waiting: `/executions/${run}`,
    run_waiting_approval: `/executions/${run}/graph?node=approval`,
    run_waiting_pending: `/executions/${run}/graph?node=publish`,
    run_done: `/executions/${done}`,
    run_done_read: `/executions/${done}/graph?node=read`,
    run_done_publish: `/executions/${done}/graph?node=publish`,
    run_flights: `/executions/${flights}`,
    run_data_ready: `/executions/${data}/graph?node=load`,
    run_asked: `/executions/${asked}/graph?node=ask`,
    run_cancelled: `/executions/${cancelled}`,
    run_large: `/executions/${big}`,
    run_hostile: `/executions/${evil}/graph?node=ask`,
    run_timeline: `/executions/${done}/timeline`,
    run_events: `/executions/${done}/events`,
    run_variables: `/executions/${done}/variables`,
    run_files: `/executions/${done}/artifacts`,
    run_summary: `/executions/${done}/summary`,
  })
  await look('failing', {
    run: `/executions/${failed}`,
    run_node: `/executions/${failed}/graph?node=import_rows`,
    run_skipped: `/executions/${failed}/graph?node=report`,
    run_missing: '/executions/01JNOSUCHRUN00000000000000',
    pipeline_missing: '/pipelines/no_such_pipeline',
    nowhere: '/no/such/page',
    executions: '/executions?status=failed',
  })
}

/** Tries, lists, runs within runs, and a pause. */
export async function runsWithinRuns(rest: Rest, look: Look): Promise<void> {
  await rest.define(review('figures'))
  await rest.define(itemwise('figures', '1s'))
  await rest.define(stubborn('stubborn', '30m'))
  await rest.define({ ...itemwise('slow_figures', '1h'), name: 'Slow figures' })
  const done = await rest.start('figures')
  const retrying = await rest.start('stubborn')
  const items = await rest.start('slow_figures')
  const child = async () => (await rest.execution(done)).nodes['review']?.child_execution_id ?? null
  await expect.poll(child, { timeout: 30_000 }).not.toBeNull()
  const paused = await rest.start('stubborn')
  await rest.call('POST', `/executions/${paused}/pause`, { reason: 'the office is closed', hard: true })
  await look('engine', {
    run_items: `/executions/${done}/graph?node=months`,
    run_items_running: `/executions/${items}/graph?node=months`,
    run_within: `/executions/${done}/graph?node=review`,
    run_child: `/executions/${await child()}`,
    run_items_timeline: `/executions/${done}/timeline`,
    run_retrying_timeline: `/executions/${retrying}/timeline`,
    run_retrying: `/executions/${retrying}/graph?node=push`,
    run_paused: `/executions/${paused}`,
    pipeline_within: '/pipelines/figures?node=review',
  })
}

/** Every status of a node and of a run. */
export async function everyStatusOfARun(rest: Rest, look: Look): Promise<void> {
  await rest.define(everyStatus('every_status'))
  await rest.define({ ...sleeping('one_at_a_time', '3h'), policy: { maxRunning: 1 } })
  const run = await rest.start('every_status')
  await rest.start('one_at_a_time')
  const second = await rest.start('one_at_a_time')
  const nodes = async () => (await rest.execution(run)).nodes
  await expect.poll(async () => (await nodes())['each']?.items?.completed, { timeout: 30_000 }).toBe(1)
  await expect.poll(async () => (await nodes())['in_line']?.status).toBe('queued')
  const shown = Object.keys(await nodes())
  const panels = (id: string, of: readonly string[]) =>
    Object.fromEntries(of.map((node) => [`status_${node}`, `/executions/${id}/graph?node=${node}`]))
  await look('live', {
    ...panels(run, shown),
    statuses: `/executions/${run}/graph`,
    statuses_timeline: `/executions/${run}/timeline`,
    statuses_list: '/executions',
    run_without_place: `/executions/${second}/graph?node=sleep`,
  })
  await rest.call('POST', `/executions/${run}/pause`, { reason: 'the office is closed' })
  await look('paused', { run: `/executions/${run}/graph` })
  await rest.call('POST', `/executions/${run}/cancel`, { reason: 'nobody needs it' })
  await expect.poll(async () => (await rest.execution(run)).status, { timeout: 30_000 }).toBe('cancelled')
  await look('cancelled', {
    ...panels(run, ['busy', 'ask', 'again', 'later', 'each']),
    run: `/executions/${run}/graph`,
    timeline: `/executions/${run}/timeline`,
  })
}

/** Handled failures, mocks, and errors of many lines. */
export async function markedRuns(rest: Rest, look: Look): Promise<void> {
  await rest.define(handledOrNot('handled_or_not'))
  await rest.define(mocked('mocked'))
  await rest.define(asking('ask_two', { message: 'Do both agree?', quorum: 2 }))
  await rest.define(unreadableFile('unreadable_file'))
  const ended = async (pipeline: string, inputs: object = {}) => {
    const id = await rest.start(pipeline, inputs)
    await expect.poll(async () => (await rest.execution(id)).closed_at, { timeout: 60_000 }).not.toBeNull()
    return id
  }
  await ended('handled_or_not')
  const handled = await ended('handled_or_not', { broken: true })
  const last = await ended('handled_or_not')
  const failed = await ended('unreadable_file')
  const two = await rest.start('ask_two')
  const start = { mocks: { rows: { outputs: { n: 41 } } } }
  const answer = await rest.call('POST', '/pipelines/mocked/executions', start)
  const { execution_id: withMocks } = answer.body as { execution_id: string }
  await expect.poll(async () => (await rest.execution(two)).status).toBe('waiting')
  await rest.decide(two, 'ask', 'approved')
  await look('marked', {
    overview: '/',
    executions: '/executions',
    approvals: '/approvals',
    approvals_all: '/approvals?show=all',
    run_handled: `/executions/${handled}`,
    run_handled_node: `/executions/${handled}/graph?node=load`,
    run_mocked: `/executions/${withMocks}/graph?node=ask`,
    run_mocked_node: `/executions/${withMocks}/graph?node=rows`,
    run_voted: `/executions/${two}/graph?node=ask`,
    run_failed: `/executions/${failed}`,
    run_failed_node: `/executions/${failed}/graph?node=read`,
    compare: `/executions/${last}/compare?with=${handled}`,
    compare_choose: `/executions/${last}/compare`,
    durations: '/pipelines/handled_or_not/executions/durations',
  })
}
