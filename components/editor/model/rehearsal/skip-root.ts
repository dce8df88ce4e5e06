import type { Shown } from './rehearser'

/**
 * Where a skip comes from: the failed node before it, directly or by nodes that were skipped in between; `failed` null: no failure
 * caused it. `at` is the last of the skipped nodes on the way, the given one first.
 */
export function skipRoot(
  { nodes, view }: Pick<Shown, 'nodes' | 'view'>,
  id: string,
): { readonly at: string; readonly failed: string | null } {
  const seen = new Set<string>()
  for (let at = id; ;) {
    seen.add(at)
    const own = view.nodes[at]
    const before = /^(?:event:)?([a-z][a-z0-9_]*)\.[a-z_]+$/.exec(own?.skip_cause ?? '')?.[1] ?? ''
    const status = nodes.get(before)?.status
    if (status === 'failed' && own?.skip_reason === 'upstream_failed') return { at, failed: before }
    if (status !== 'skipped' || seen.has(before)) return { at, failed: null }
    at = before
  }
}
