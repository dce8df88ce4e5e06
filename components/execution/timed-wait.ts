import type { NodeView } from '@/core/engine/view'

type Waiting = Pick<NodeView, 'status' | 'waiting_for' | 'next_wake_at'>

/** A node that goes on by itself at `at` (ISO 8601): tried again, or done with waiting. */
export type TimedWait = { readonly node: string; readonly again: boolean; readonly at: string }

/** What goes on first, where a run waits for nothing but time: nothing is at work, and nobody is waited for. null: it does not. */
export function timedWait(nodes: { readonly [id: string]: Waiting }): TimedWait | null {
  let first: TimedWait | null = null
  for (const [node, { status, waiting_for: waits, next_wake_at: at }] of Object.entries(nodes)) {
    if (waits === null || waits.kind === 'nodes') continue
    if (waits.kind !== 'timer' || at === null) return null
    if (first === null || at < first.at) first = { node, again: status === 'retrying', at }
  }
  return first
}
