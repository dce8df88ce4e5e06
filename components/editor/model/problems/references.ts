import type { Definition } from '@/components/editor/model/draft/draft'
import { nodesOf } from '@/components/editor/model/flow'
import { isRecord } from '@/core/pipeline/json'

/**
 * What a definition names that only the server knows: secrets of webhooks, pipelines that nodes run with the inputs they give, approvers
 * and how many of them, pools, and tasks that may be switched off, as one text. It is the same text as long as the server would answer the same; empty where nothing is named. Pure.
 */
export function referencesOf(definition: Definition): string {
  const { triggers } = definition
  const secrets = (Array.isArray(triggers) ? (triggers as unknown[]) : []).flatMap((trigger, at) =>
    isRecord(trigger) && trigger['type'] === 'webhook' ? [[at, trigger['secret']]] : [],
  )
  const nodes = nodesOf(definition).flatMap(({ id, task, pipeline, inputBindings }, at) => {
    const given = isRecord(inputBindings) ? inputBindings : {}
    if (typeof pipeline === 'string') return [[at, id, pipeline, Object.keys(given)]]
    if (task === 'approval') return [[at, id, given['approvers'], given['quorum'], given['rejectQuorum']]]
    // Whether people may run commands is a setting of the server.
    return task === 'shell' ? [[at, id]] : []
  })
  const demands = nodesOf(definition).flatMap(({ id, resources, workerGroup }, at) =>
    resources === undefined && workerGroup === undefined ? [] : [[at, id, resources, workerGroup]],
  )
  return secrets.length + nodes.length + demands.length === 0 ? '' : JSON.stringify([secrets, nodes, demands])
}
