import { isRecord } from '@/core/pipeline/json'
import { sameJson } from '@/core/pipeline/match'

/**
 * What differs between two JSON values, small enough to be sent at every key press. Whoever applies it gets a value in which all
 * that did not change is the same object as before.
 */
export type Change =
  | { readonly kind: 'value'; readonly value: unknown }
  /** Members that hold something else; none came, went or changed its place. */
  | { readonly kind: 'members'; readonly members: readonly (readonly [string, Change])[] }
  /** All but the first `head` and the last `tail` members of a list. */
  | {
      readonly kind: 'list'
      readonly head: number
      readonly tail: number
      readonly fresh: readonly unknown[]
    }

/** Null: they say the same. */
export function changeOf(before: unknown, after: unknown): Change | null {
  if (before === after) return null
  if (Array.isArray(before) && Array.isArray(after)) return listChange(before, after)
  if (isRecord(before) && isRecord(after)) {
    const keys = Object.keys(after)
    const old = Object.keys(before)
    if (keys.length === old.length && keys.every((key, at) => key === old[at])) {
      const members: [string, Change][] = []
      for (const key of keys) {
        const change = changeOf(before[key], after[key])
        if (change !== null) members.push([key, change])
      }
      return members.length === 0 ? null : { kind: 'members', members }
    }
  }
  return { kind: 'value', value: after }
}

function listChange(before: readonly unknown[], after: readonly unknown[]): Change | null {
  const most = Math.min(before.length, after.length)
  let head = 0
  while (head < most && sameJson(before[head], after[head])) head++
  let tail = 0
  while (tail < most - head && sameJson(before.at(-1 - tail), after.at(-1 - tail))) tail++
  if (head + tail === before.length && before.length === after.length) return null
  return { kind: 'list', head, tail, fresh: after.slice(head, after.length - tail) }
}

/** The value after a change; `before` is the one that the change was made from. */
export function withChange(before: unknown, change: Change): unknown {
  switch (change.kind) {
    case 'value':
      return change.value
    case 'members': {
      if (!isRecord(before)) throw new Error('members were changed of something that has none')
      const changes = new Map(change.members)
      return Object.fromEntries(
        Object.entries(before).map(([key, value]) => {
          const own = changes.get(key)
          return [key, own === undefined ? value : withChange(value, own)]
        }),
      )
    }
    case 'list': {
      if (!Array.isArray(before)) throw new Error('a list was changed that is none')
      const { head, tail, fresh } = change
      return [...(before as unknown[]).slice(0, head), ...fresh, ...before.slice(before.length - tail)]
    }
  }
}
