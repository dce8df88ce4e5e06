import type { NodeStatus } from '@/core/engine/view/view'
import type { DrawnNode } from './drawing'

/** The states for which people open a run, those that matter most first. */
const ORDER: readonly NodeStatus[] = ['failed', 'waiting', 'retrying', 'running', 'queued']

/** The node that whoever opens a run looks for: what failed, else what waits, else what is at work; null: none. Pure. */
export function attentionOf(nodes: readonly DrawnNode[]): string | null {
  let [found, rank]: [string | null, number] = [null, ORDER.length]
  for (const { id, status, handled, group } of nodes) {
    if (status === null || handled || group?.open === true) continue
    const own = ORDER.indexOf(status)
    if (own >= 0 && own < rank) [found, rank] = [id, own]
  }
  return found
}
