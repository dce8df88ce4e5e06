import { z } from 'zod'
import { nextFire } from '@/core/pipeline/definition/cron'
import { operation } from './operation'
import { missing } from './refusal'
import { idField, nodeField } from './request-fields'
import { exampleSchedule, schedule, scheduleSummary } from './schedule-summary'

/**
 * Switches a schedule on or off. Off it fires nothing, and what would have fired meanwhile was not missed: on again, it goes on
 * from now. As it is already: unchanged.
 */
export const switchSchedule = operation({
  kind: 'command',
  summary: 'Switch a schedule on or off',
  right: 'edit',
  rest: { method: 'PUT', path: '/schedules/:pipeline_id/:trigger_id' },
  request: z.strictObject({ pipeline_id: idField, trigger_id: nodeField, active: z.boolean() }),
  answer: schedule,
  errors: ['not_found'],
  example: {
    request: { pipeline_id: 'seattle_weather', trigger_id: 'daily', active: true },
    answer: exampleSchedule,
  },
  run: async (ctx, _caller, { pipeline_id, trigger_id, active }) => {
    const before = await ctx.schedules.get(pipeline_id, trigger_id)
    if (before === null) throw missing('schedule', `${pipeline_id}/${trigger_id}`)
    if (before.active === active) return scheduleSummary(before)
    const nextAt = active ? nextFire(before.cron, before.timezone, ctx.clock.now()) : null
    const after = await ctx.schedules.setNext(pipeline_id, trigger_id, nextAt)
    if (after === null) throw missing('schedule', `${pipeline_id}/${trigger_id}`)
    ctx.orchestrator.pipelineChanged(pipeline_id)
    return scheduleSummary(after)
  },
})
