import type { Json } from '@/core/pipeline/json'

/** What a task that only computes comes to: its outputs, or why it failed. */
export type Computed =
  | { readonly ok: true; readonly outputs: { readonly [name: string]: Json } }
  | { readonly ok: false; readonly error: { readonly kind: string; readonly message: string } }

type Input = Readonly<Record<string, unknown>>

const nothing = (): Computed => ({ ok: true, outputs: {} })

const computations: ReadonlyMap<string, (input: Input) => Computed> = new Map([
  ['set', (input: Input): Computed => ({ ok: true, outputs: { ...input } as { [name: string]: Json } })],
  ['noop', nothing],
  ['log', nothing],
  ['fail', failure],
])

/** Fails with `message` and `kind` (a word: letters, digits and underscores; default `task_failed`). */
function failure({ kind = 'task_failed', message }: Input): Computed {
  if (typeof kind !== 'string' || !/^[a-z][a-z0-9_]{0,62}$/.test(kind)) {
    const error = 'kind must be a word of small letters, digits and underscores'
    return { ok: false, error: { kind: 'invalid_input', message: error } }
  }
  const told = typeof message === 'string' && message !== '' ? message : 'failed as asked'
  return { ok: false, error: { kind, message: told } }
}

/**
 * What a task comes to whose result depends on its resolved input alone (set, noop, log, fail); null for every other. The
 * server's tasks and the rehearsal ask this same function.
 */
export function computedOutcome(task: string, input: Input): Computed | null {
  return computations.get(task)?.(input) ?? null
}

/** Does `computedOutcome` know what the task comes to? */
export function isComputed(task: string): boolean {
  return computations.has(task)
}
