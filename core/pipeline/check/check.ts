import { createAssembler } from '@/core/pipeline/definition/compile'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import type { DefinitionGraph } from '@/core/pipeline/definition/definition-graph'
import type { Issue } from '@/core/pipeline/issue'
import type { Problem } from '@/core/pipeline/proof/problem'
import { createProver } from '@/core/pipeline/proof/proofs'
import { createValidator, type ValidationSettings } from './validate'

/**
 * All that can be said of a definition before it runs, in one place for everybody: the editor, `POST /pipelines/validate`, saving and
 * the tests. Errors are what no revision may have; warnings are mistakes by all appearance; an info may be meant so.
 */

/** A finding about a definition: what validation found, or what is proven. */
export type Finding = Omit<Issue, 'severity'> & {
  severity: Issue['severity'] | Problem['severity']
  /** How nodes end in a run that shows it, in topological order; empty where no run has a part in it. */
  counterExample: Problem['counterExample']
}

export type Verdict = {
  /** No finding is an error. */
  valid: boolean
  findings: Finding[]
  /** The input itself, as written, when valid. */
  definition?: PipelineDefinition
  /** As far as there are nodes with ids; without levels behind a cycle. */
  graph?: DefinitionGraph
}

/** Checks one definition: validates it, and proves what it can when it is valid. Takes any value, and never throws for it. */
export function checkDefinition(input: unknown, settings: ValidationSettings): Verdict {
  return createChecker(settings)(input)
}

/**
 * A checker for one definition that is edited: what it found counts for every node that is the same object as before and before
 * which nothing changed. Whatever was once passed in must not be changed.
 */
export function createChecker(settings: ValidationSettings): (input: unknown) => Verdict {
  const validate = createValidator(settings)
  const assemble = createAssembler()
  const prove = createProver()
  return (input) => {
    const { valid, issues, definition, graph, read } = validate(input)
    const findings = issues.map((issue): Finding => ({ ...issue, counterExample: [] }))
    const pipeline = definition && read ? assemble(definition, read) : null
    if (pipeline !== null) {
      // What validation reported at a path is not reported a second time.
      const reported = new Set(issues.map(placeOf))
      for (const problem of prove(pipeline)) if (!reported.has(placeOf(problem))) findings.push(problem)
    }
    return { valid, findings, ...(definition && { definition }), ...(graph && { graph }) }
  }
}

const placeOf = ({ path, code }: Pick<Issue, 'path' | 'code'>): string => `${code} ${path.join('.')}`
