import type { CompiledNode, CompiledPipeline } from '@/core/pipeline/definition/compile'
import type { Expression } from '@/core/pipeline/expression/expression'
import { templateExpressions } from '@/core/pipeline/expression/template'
import type { Problem } from './problem'
import { beginProof, type Proof } from './proof'
import { proveCompensations } from './compensations'
import { proveGate } from './gate'
import { proveInputs, proveOutputs } from './outputs'
import { provePaths, readGate, type ReadGate } from './paths'

/**
 * Proofs about start conditions: what a definition that is valid will never do, or will do when nobody expects it. They speak of
 * runs that are neither cancelled nor continued from another (a rerun or a fork may keep what its own start would not bring
 * about), and take every node that works for one that may fail. What they say is so; where finding out takes too long they
 * say nothing.
 */

/** Everything that can be proven of a definition: first of its nodes in their order, then of its outputs and inputs. */
export function proveDefinition(pipeline: CompiledPipeline): Problem[] {
  return createProver()(pipeline)
}

/** More problems than this help nobody. */
const mostProblems = 200

/** What was found of a node; it follows from the node and all that it waits for, and counts as long as none of them changes. */
type Finding = {
  never: boolean
  /** A node before it never starts. What would follow from its start is not claimed before that is corrected. */
  blocked: boolean
  goesWell: boolean
  problems: readonly Problem[]
  /** Inputs of the pipeline that it reads. */
  inputs: readonly string[]
}

/** A finding with all that it follows from: the same objects give the same. */
type Known = {
  node: CompiledNode
  handled: boolean
  before: readonly (Finding | undefined)[]
  finding: Finding
}

/**
 * A prover for one definition that is edited: what it found the last time counts for every node before which nothing changed, so that
 * an edit costs what follows the node that was edited. Compiled nodes are taken for immutable.
 */
export function createProver(): (pipeline: CompiledPipeline) => Problem[] {
  let last = new Map<string, Known>()
  let asked: { readonly failFast: boolean; readonly effort: number } | null = null

  return (pipeline) => {
    const proof = beginProof(pipeline)
    const { effort } = proof.possible
    if (pipeline.failFast !== asked?.failFast || effort !== asked.effort) last = new Map()
    asked = { failFast: pipeline.failFast, effort }
    const known = new Map<string, Known>()
    const findings = new Map<string, Finding>()
    let problems = 0
    for (const level of pipeline.levels) {
      for (const id of level) {
        const node = pipeline.nodes.get(id)
        if (node === undefined) continue
        const handled = proof.handlers.has(id)
        const predecessors = pipeline.predecessors.get(id) ?? []
        const before = last.get(id)
        let one =
          before?.node === node && before.handled === handled && followsFrom(before, predecessors, findings)
            ? before
            : null
        if (one === null) {
          const found = predecessors.map((other) => findings.get(other))
          const blocked = found.some((each) => each !== undefined && (each.never || each.blocked))
          const finding = findingOf(node, proof, blocked, problems < mostProblems)
          one = { node, handled, before: found, finding }
        } else {
          if (one.finding.never) proof.possible.release(id)
          proof.possible.goesWell(id, one.finding.goesWell)
        }
        // Past the limit nobody has looked at its paths.
        if (problems < mostProblems) known.set(id, one)
        problems += one.finding.problems.length
        findings.set(id, one.finding)
      }
    }
    last = known
    return problemsIn(proof, findings)
  }
}

/** Whether what is known follows from the same as now. */
function followsFrom(
  { before }: Known,
  predecessors: readonly string[],
  findings: ReadonlyMap<string, Finding>,
): boolean {
  if (before.length !== predecessors.length) return false
  for (let at = 0; at < before.length; at++) if (findings.get(predecessors[at]!) !== before[at]) return false
  return true
}

function findingOf(node: CompiledNode, proof: Proof, blocked: boolean, report: boolean): Finding {
  const read = readGate(node)
  const { never, problems } = proveGate(node, read, proof)
  const goesWell = proof.possible.goesWell(node.id)
  const paths = never || blocked || !report ? [] : provePaths(node, read, proof)
  return { never, blocked, goesWell, problems: [...problems, ...paths], inputs: inputsOf(node, read) }
}

function inputsOf({ retry, compensation }: CompiledNode, { atoms, expressions }: ReadGate): string[] {
  const inputs: string[] = []
  const add = ({ reads }: Expression) => {
    for (const { root, variable } of reads) if (root === 'pipeline.input') inputs.push(variable)
  }
  for (const { atom } of atoms) if (atom.kind === 'condition') add(atom.expression)
  for (const { expression } of expressions) add(expression)
  if (retry?.when) add(retry.when)
  if (compensation?.retry?.when) add(compensation.retry.when)
  if (compensation !== null) for (const each of templateExpressions(compensation.bindings)) add(each)
  return inputs
}

function problemsIn(proof: Proof, findings: ReadonlyMap<string, Finding>): Problem[] {
  const problems: Problem[] = []
  const inputs = new Set<string>()
  let blocked = false
  for (const node of proof.pipeline.nodes.values()) {
    const finding = findings.get(node.id)
    if (finding === undefined) continue
    blocked ||= finding.never
    for (const problem of finding.problems) problems.push(movedTo(problem, proof.pathOf(node)))
    for (const name of finding.inputs) inputs.add(name)
  }
  return [
    ...problems,
    ...(blocked ? [] : proveOutputs(proof)),
    ...proveInputs(proof, inputs),
    ...proveCompensations(proof),
  ].slice(0, mostProblems)
}

/** The node may have come to stand elsewhere since it was looked at. */
function movedTo(problem: Problem, node: readonly (string | number)[]): Problem {
  if (problem.path[1] === node[1]) return problem
  const moved = (path: Problem['path']) => [...node, ...path.slice(node.length)]
  const { fix } = problem
  return { ...problem, path: moved(problem.path), ...(fix && { fix: { ...fix, path: moved(fix.path) } }) }
}
