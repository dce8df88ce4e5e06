import type { CompiledPipeline } from '@/core/pipeline/definition/compile'
import { didYouMean } from '@/core/pipeline/suggest'
import { dependentsIn } from '@/core/engine/fold/rollback'
import type { Rejection, RollbackScope } from '@/core/engine/input'
import { nodeOf, type ExecutionState } from '@/core/engine/state'
import { closureOf, unknownNodes } from './reset'

/** What is to be rolled back; `madeBy`: of an artifact, the node that made it. */
export type RollbackAsked = {
  readonly scope: RollbackScope
  readonly target: string | null
  readonly madeBy?: string
}

/** What a rollback would do. A preview and the rollback itself are the same function's answer. */
export type RollbackPlan = {
  /** Nodes that are compensated, leaves first: a list when those before it are, or earlier where the graph allows. */
  readonly order: string[][]
  /** Nodes that did something which their authors say nothing undoes, or for which they say nothing. */
  readonly irreversible: string[]
  readonly uncompensated: string[]
  /** Nodes of the scope, and all that follows them. */
  readonly nodes: readonly string[]
}

type Planned =
  { readonly ok: true; readonly plan: RollbackPlan } | { readonly ok: false; readonly rejection: Rejection }

/** The nodes concerned, dependents included at any distance, and what becomes of each [H-O5, H-O7]. */
export function planRollback(state: ExecutionState, asked: RollbackAsked): Planned {
  const { pipeline } = state
  const roots = rootsOf(pipeline, asked)
  if ('code' in roots) return { ok: false, rejection: roots }
  const nodes = closureOf(pipeline, roots).filter((id) => pipeline.nodes.get(id)?.finally === false)
  const by = { compensate: [] as string[], irreversible: [] as string[], uncompensated: [] as string[] }
  for (const id of nodes) {
    const fate = fateOf(state, id)
    if (fate !== null) by[fate].push(id)
  }
  const { irreversible, uncompensated } = by
  return { ok: true, plan: { order: wavesOf(pipeline, by.compensate), irreversible, uncompensated, nodes } }
}

function rootsOf(pipeline: CompiledPipeline, { scope, target, madeBy }: RollbackAsked): string[] | Rejection {
  const all = [...pipeline.nodes.values()]
  switch (scope) {
    case 'execution':
      return all.map(({ id }) => id)
    case 'phase': {
      const phases = new Set(all.filter((node) => !node.finally).map(({ phase }) => phase))
      if (target !== null && phases.has(target))
        return all.filter(({ phase }) => phase === target).map(({ id }) => id)
      const hint = didYouMean(target ?? '', phases)
      const message = `there is no phase '${target}'${hint === undefined ? '' : `; ${hint}`}`
      return { code: 'unknown_phase', message }
    }
    case 'node':
    case 'artifact': {
      const id = scope === 'node' ? (target ?? '') : (madeBy ?? '')
      return unknownNodes(pipeline, [id]) ?? [id]
    }
  }
}

/** What becomes of the work of a node when it is rolled back; null: there is nothing to undo. */
function fateOf(state: ExecutionState, id: string): 'compensate' | 'irreversible' | 'uncompensated' | null {
  const compiled = state.pipeline.nodes.get(id)!
  if (!hasWorked(state, id)) return null
  if (compiled.irreversible) return 'irreversible'
  if (compiled.compensation !== null && canUndo(state, id)) return 'compensate'
  return compiled.hasEffect ? 'uncompensated' : null
}

/** Work of it began, or goes on. What mocks replace did nothing. */
function hasWorked(state: ExecutionState, id: string): boolean {
  const node = nodeOf(state, id)
  if (state.mocks[id] !== undefined) return false
  switch (node.status) {
    case 'pending':
    case 'skipped':
    case 'rolled_back':
      return false
    case 'queued':
      return node.startedAt !== null
    case 'failed':
    case 'cancelled':
      return node.attempts > 0
    case 'running':
    case 'retrying':
    case 'waiting':
    case 'completed':
      return true
  }
}

/** A compensation that needs what the node leaves behind has nothing to go by when that did not complete. */
export function canUndo(state: ExecutionState, id: string): boolean {
  const { status } = nodeOf(state, id)
  return (status !== 'failed' && status !== 'cancelled') || !state.pipeline.nodes.get(id)!.readsOwn
}

/** Leaves first: every list holds the nodes whose dependents among these stand in the lists before it. */
function wavesOf(pipeline: CompiledPipeline, nodes: readonly string[]): string[][] {
  const after = dependentsIn(pipeline, new Set(nodes))
  const waveOf = new Map<string, number>()
  const waves: string[][] = []
  for (const id of pipeline.levels.flat().toReversed()) {
    const before = after.get(id)
    if (before === undefined) continue
    const wave = before.reduce((most, other) => Math.max(most, waveOf.get(other)! + 1), 0)
    waveOf.set(id, wave)
    if (waves[wave] === undefined) waves[wave] = [id]
    else waves[wave].push(id)
  }
  return waves
}
