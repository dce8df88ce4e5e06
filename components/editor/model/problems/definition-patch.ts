import { isRecord } from '@/core/pipeline/json'
import { sameJson } from '@/core/pipeline/match'

/**
 * The difference of two JSON values, small enough to be sent at every key press. In the value that `applyPatch` returns, everything
 * that did not change is the same object as before.
 */
export type Patch =
  | { readonly kind: 'value'; readonly value: unknown }
  /** Some members have other values; none was added, removed or moved. */
  | { readonly kind: 'members'; readonly members: readonly (readonly [string, Patch])[] }
  /** All but the first `head` and the last `tail` members of a list. */
  | {
      readonly kind: 'list'
      readonly head: number
      readonly tail: number
      readonly fresh: readonly unknown[]
    }

/** Null when the values are equal. */
export function patchOf(before: unknown, after: unknown): Patch | null {
  if (before === after) return null
  if (Array.isArray(before) && Array.isArray(after)) return listPatch(before, after)
  if (isRecord(before) && isRecord(after)) {
    const keys = Object.keys(after)
    const old = Object.keys(before)
    if (keys.length === old.length && keys.every((key, at) => key === old[at])) {
      const members: [string, Patch][] = []
      for (const key of keys) {
        const patch = patchOf(before[key], after[key])
        if (patch !== null) members.push([key, patch])
      }
      return members.length === 0 ? null : { kind: 'members', members }
    }
  }
  return { kind: 'value', value: after }
}

function listPatch(before: readonly unknown[], after: readonly unknown[]): Patch | null {
  const most = Math.min(before.length, after.length)
  let head = 0
  while (head < most && sameJson(before[head], after[head])) head++
  let tail = 0
  while (tail < most - head && sameJson(before.at(-1 - tail), after.at(-1 - tail))) tail++
  if (head + tail === before.length && before.length === after.length) return null
  return { kind: 'list', head, tail, fresh: after.slice(head, after.length - tail) }
}

/** The value after a patch; `before` must be the value from which the patch was made. */
export function applyPatch(before: unknown, patch: Patch): unknown {
  switch (patch.kind) {
    case 'value':
      return patch.value
    case 'members': {
      if (!isRecord(before)) throw new Error('a patch of members applies to an object only')
      const changes = new Map(patch.members)
      return Object.fromEntries(
        Object.entries(before).map(([key, value]) => {
          const own = changes.get(key)
          return [key, own === undefined ? value : applyPatch(value, own)]
        }),
      )
    }
    case 'list': {
      if (!Array.isArray(before)) throw new Error('a patch of a list applies to a list only')
      const { head, tail, fresh } = patch
      return [...(before as unknown[]).slice(0, head), ...fresh, ...before.slice(before.length - tail)]
    }
  }
}
