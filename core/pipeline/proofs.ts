import type { CompiledNode, CompiledPipeline } from './compile'
import type { NodeDefinition } from './definition'
import type { Expression } from './expression'
import type { Problem } from './problem'
import { beginProof, type Proof } from './proof'
import { proveGate } from './prove-gate'
import { proveInputs, proveOutputs } from './prove-outputs'
import { provePaths, readGate, type ReadGate } from './prove-paths'

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
  /** Of the node and all that stands before it: equal where nothing differs. */
  cone: number
  never: boolean
  /** A node before it never starts. What would follow from its start is not claimed before that is mended. */
  blocked: boolean
  goesWell: boolean
  problems: readonly Problem[]
  /** Inputs of the pipeline that it reads. */
  inputs: readonly string[]
}

/**
 * A prover for one editor: what it found the last time counts for every node before which nothing changed, so that an edit costs
 * what follows the node that was edited. Definitions of nodes are taken for immutable.
 */
export function createProver(): (pipeline: CompiledPipeline) => Problem[] {
  let last = new Map<string, Finding>()
  let texts = new Map<string, number>()
  let count = 0
  const known = new WeakMap<NodeDefinition, number>()

  return (pipeline) => {
    const proof = beginProof(pipeline)
    const [found, written] = [new Map<string, Finding>(), new Map<string, number>()]
    const findings = new Map<string, Finding>()
    const numberOf = (definition: NodeDefinition): number => {
      const before = known.get(definition)
      if (before !== undefined) return before
      const text = JSON.stringify(definition)
      const number = written.get(text) ?? texts.get(text) ?? ++count
      written.set(text, number)
      known.set(definition, number)
      return number
    }
    let problems = 0
    for (const id of pipeline.levels.flat()) {
      const node = pipeline.nodes.get(id)
      if (node === undefined) continue
      let key = `${numberOf(node.definition)} ${pipeline.failFast} ${proof.handlers.has(id)}`
      let blocked = false
      for (const other of pipeline.predecessors.get(id) ?? []) {
        const before = findings.get(other)
        key += ` ${before?.cone}`
        blocked ||= before !== undefined && (before.never || before.blocked)
      }
      const kept = last.get(key)
      if (kept) {
        if (kept.never) proof.possible.release(id)
        proof.possible.goesWell(id, kept.goesWell)
      }
      const finding = kept ?? { cone: ++count, ...findingOf(node, proof, blocked, problems < mostProblems) }
      // Past the limit nobody has looked at its paths.
      if (problems < mostProblems) found.set(key, finding)
      problems += finding.problems.length
      findings.set(id, finding)
    }
    last = found
    texts = written
    return problemsIn(proof, findings)
  }
}

function findingOf(node: CompiledNode, proof: Proof, blocked: boolean, tell: boolean): Omit<Finding, 'cone'> {
  const read = readGate(node)
  const { never, problems } = proveGate(node, read, proof)
  const goesWell = proof.possible.goesWell(node.id)
  const paths = never || blocked || !tell ? [] : provePaths(node, read, proof)
  return { never, blocked, goesWell, problems: [...problems, ...paths], inputs: inputsOf(node, read) }
}

function inputsOf({ retry }: CompiledNode, { atoms, expressions }: ReadGate): string[] {
  const inputs: string[] = []
  const add = ({ reads }: Expression) => {
    for (const { root, variable } of reads) if (root === 'pipeline.input') inputs.push(variable)
  }
  for (const { atom } of atoms) if (atom.kind === 'condition') add(atom.expression)
  for (const { expression } of expressions) add(expression)
  if (retry?.when) add(retry.when)
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
  return [...problems, ...(blocked ? [] : proveOutputs(proof)), ...proveInputs(proof, inputs)].slice(
    0,
    mostProblems,
  )
}

/** The node may have come to stand elsewhere since it was looked at. */
function movedTo(problem: Problem, node: readonly (string | number)[]): Problem {
  if (problem.path[1] === node[1]) return problem
  const moved = (path: Problem['path']) => [...node, ...path.slice(node.length)]
  const { fix } = problem
  return { ...problem, path: moved(problem.path), ...(fix && { fix: { ...fix, path: moved(fix.path) } }) }
}
