import type { CompiledNode } from '@/core/pipeline/definition/compile'
import type { Found, Scope } from '@/core/pipeline/expression/types'
import { errorVariable } from '@/core/pipeline/definition/reserved'
import { renderTemplate } from '@/core/pipeline/expression/template'
import type { Json, JsonObject } from '@/core/engine/event'
import { lostContent } from '@/core/engine/large-values'
import type { ExecutionState } from '@/core/engine/state'

/**
 * The variables of one execution as expressions see them: by full name, by existence, never by topology [N-O2], and
 * never another execution's [N-6]. `upTo` hides what was written later, so that an input resolves to the same value
 * whenever it is asked for.
 */
export function scopeOf(state: ExecutionState, options: { upTo?: number; locals?: JsonObject } = {}): Scope {
  const { upTo, locals } = options
  return {
    lookup(name) {
      const variable = state.variables.get(name)
      if (variable === undefined) return failureOf(state, name, upTo)
      if (upTo !== undefined && variable.seq > upTo) return undefined
      const { ref } = variable
      if (ref === undefined) return variable
      const value = state.values.load(ref)
      return value === undefined ? { value, lost: lostContent(ref) } : { value, bytes: ref.bytes }
    },
    names: () => state.variables.keys(),
    ...(locals === undefined ? {} : { locals }),
  }
}

/** `{node}.error` of a node that has failed: why, for those that handle it. It is read off the node, so a reset takes it away. */
function failureOf(state: ExecutionState, name: string, upTo: number | undefined): Found | undefined {
  if (!name.endsWith(ERROR_SUFFIX)) return undefined
  const id = name.slice(0, -ERROR_SUFFIX.length)
  const node = state.nodes.get(id)
  if (node?.status !== 'failed') return undefined
  const seq = state.events.get(`${id}.failed`)
  return seq === undefined || (upTo !== undefined && seq > upTo) ? undefined : { value: node.error }
}

const ERROR_SUFFIX = `.${errorVariable}`

/** Most items of one forEach. */
const MOST_ITEMS = 10_000

type Items =
  | { readonly ok: true; readonly items: readonly Json[] }
  | { readonly ok: false; readonly kind: string; readonly message: string }

/**
 * The list that a forEach runs over, as it was when the node started. Evaluated once while the state is in memory: nothing that
 * it may read changes in between.
 */
export function itemsOf(state: ExecutionState, compiled: CompiledNode): Items {
  const startedSeq = state.events.get(`${compiled.id}.started`)
  const kept = startedSeq === undefined ? undefined : state.itemLists.get(compiled.id)
  if (kept !== undefined) return { ok: true, items: kept }
  const list = listOver(compiled, scopeOf(state, startedSeq === undefined ? {} : { upTo: startedSeq }))
  if (list.ok && startedSeq !== undefined) state.itemLists.set(compiled.id, list.items)
  return list
}

/** The same over any variables. */
export function listOver(compiled: CompiledNode, scope: Scope): Items {
  const rendered = renderTemplate(compiled.forEach!.items, scope)
  if (!rendered.ok)
    return { ok: false, kind: rendered.error.kind, message: `forEach.items: ${rendered.error.message}` }
  if (!Array.isArray(rendered.value))
    return { ok: false, kind: 'expression_error', message: 'forEach.items is not a list' }
  const items = rendered.value as readonly Json[]
  if (items.length > MOST_ITEMS) {
    return {
      ok: false,
      kind: 'invalid_input',
      message: `forEach.items has ${items.length} items; at most ${MOST_ITEMS} are allowed`,
    }
  }
  return { ok: true, items }
}

/** `item` and `index`, for what is evaluated for one item. */
export function localsOfItem(
  state: ExecutionState,
  compiled: CompiledNode,
  index: number | null,
): JsonObject {
  if (index === null || compiled.forEach === null) return {}
  const list = itemsOf(state, compiled)
  return list.ok ? { item: list.items[index] ?? null, index } : {}
}
