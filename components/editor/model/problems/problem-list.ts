import type { Definition } from '@/components/editor/model/draft/draft'
import { withValueAt } from '@/components/editor/model/edits'
import { nodesOf } from '@/components/editor/model/flow'
import type { Case } from '@/components/editor/model/rehearsal/cases'
import type { Finding } from '@/core/pipeline/check/check'
import type { Fix } from '@/core/pipeline/issue'
import { valueAt } from '@/core/pipeline/json'
import { sameJson } from '@/core/pipeline/match'
import type { YamlIssue } from '@/core/pipeline/yaml/yaml'
import type { Checks } from './checks'

/** The problems of a draft, for the problems panel, the forms and the outline. Pure. */

export type Severity = Finding['severity']

/** One problem of the draft, with its text and path. */
export type Problem = {
  /** Stays the same while the same is wrong in the same field. */
  readonly key: string
  /** The path in the definition; empty: the text as a whole. */
  readonly path: readonly (string | number)[]
  /** The line in a text that cannot be parsed, from 1; null: the problem is at `path`. */
  readonly line: number | null
  /** The node that has the problem. */
  readonly node: string | null
  /** All nodes that it is about: those of a cycle, else `node`. */
  readonly nodes: readonly string[]
  readonly severity: Severity
  /** The node and the field, for people. */
  readonly where: string
  readonly text: string
  readonly fix: Fix | undefined
  /** Nothing stands at its path yet. */
  readonly unfilled: boolean
  /** How nodes end in a run that demonstrates it. */
  readonly counterExample: Finding['counterExample']
  /** The index of the failing case; null: it is about something else. */
  readonly rehearsal: number | null
}

/** What is known of a draft beside its definition. */
type Around = {
  /** The id of the pipeline that is edited; absent: any id will do. */
  readonly pipelineId?: string
  /** What the definition names that the server does not have. */
  readonly absent?: readonly Finding[]
  readonly cases?: readonly Case[]
}

/** The problems of a draft: of its text while that cannot be parsed, else what was found in its definition. */
export function problemsOf(
  { findings, of, trouble }: Checks,
  unreadable: readonly YamlIssue[],
  { pipelineId, absent = [], cases = [] }: Around = {},
): readonly Problem[] {
  if (unreadable.length > 0)
    return unreadable.map(({ message, line }, at) =>
      plain({
        key: `text ${at}`,
        severity: 'error',
        where: line === undefined ? 'code' : `line ${line}`,
        text: message,
        line: line ?? 1,
      }),
    )
  const definition = of ?? {}
  const seen = new Map<string, number>()
  const problems = [...findings, ...absent].map((finding): Problem => {
    const { path, code, message, hint, severity, nodes, fix, counterExample } = finding
    const node = nodeAt(definition, path)
    // The name of a field is the one in its form, not its path.
    const parts = node === null ? namedParts(definition, path) : [node, ...path.slice(2)]
    const where = parts.filter((part) => part !== 'inputBindings').join(' · ')
    const name = `${code} ${where}`
    const times = seen.get(name) ?? 0
    seen.set(name, times + 1)
    return {
      key: times === 0 ? name : `${name} ${times}`,
      path,
      line: null,
      node,
      nodes: nodes ?? (node === null ? [] : [node]),
      severity,
      where,
      text: hint === undefined ? message : `${message} (${hint})`,
      fix,
      unfilled: isBlank(valueAt(definition, path)),
      counterExample,
      rehearsal: null,
    }
  })
  const all = [...otherId(definition['id'], pipelineId), ...problems, ...failingCases(cases)]
  return trouble === null
    ? all
    : [...all, plain({ key: 'trouble', severity: 'warning', where: 'check', text: trouble })]
}

/** A revision belongs to the pipeline whose id it has: with another id, nothing can be published here. */
function otherId(id: unknown, pipelineId: string | undefined): readonly Problem[] {
  if (pipelineId === undefined || typeof id !== 'string' || id === pipelineId) return []
  const text = `The code has “id: ${id}”, but the id of this pipeline is ${pipelineId} and cannot change`
  const fix: Fix = { path: ['id'], value: pipelineId }
  return [{ ...plain({ key: 'other_id id', severity: 'error', where: 'id', text }), path: ['id'], fix }]
}

function failingCases(cases: readonly Case[]): readonly Problem[] {
  return cases.flatMap(({ name, messages }, at) => {
    const [first] = messages ?? []
    if (first === undefined) return []
    const more = messages!.length > 1 ? ` (and ${messages!.length - 1} more)` : ''
    const text = `“${name}” fails: ${first}${more}`
    const problem = plain({ key: `case ${at}`, severity: 'warning', where: 'case', text })
    return [{ ...problem, path: ['rehearsals', at], rehearsal: at }]
  })
}

/** Whether there is nothing to check yet: a draft without nodes is no mistake. */
export const isUnbegun = (problems: readonly Problem[]): boolean =>
  problems.length === 1 && problems[0]?.key === 'too_small nodes'

/** A problem that belongs to no node and no field. */
function plain(
  fields: Pick<Problem, 'key' | 'severity' | 'where' | 'text'> & { readonly line?: number },
): Problem {
  return {
    path: [],
    line: null,
    node: null,
    nodes: [],
    fix: undefined,
    unfilled: false,
    counterExample: [],
    rehearsal: null,
    ...fields,
  }
}

/** The parts of a path outside of the nodes: a trigger is named by its id, or by its place from 1. */
function namedParts(definition: Definition, path: Problem['path']): Problem['path'] {
  const [list, at, ...rest] = path
  if (list !== 'triggers' || typeof at !== 'number') return path
  const id = valueAt(definition, [list, at, 'id'])
  return [`trigger ${typeof id === 'string' && id !== '' ? id : at + 1}`, ...rest]
}

const isBlank = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

/** What is not filled in yet in a node that was just added: it is to be done, and no mistake. */
export const isToDo = ({ node, unfilled, severity }: Problem, fresh: string | null): boolean =>
  unfilled && severity === 'error' && node !== null && node === fresh

function nodeAt(definition: Definition, [list, index]: readonly (string | number)[]): string | null {
  const id = list === 'nodes' && typeof index === 'number' ? valueAt(definition, [list, index, 'id']) : null
  return typeof id === 'string' ? id : null
}

/**
 * Applies a fix. It may have been found in an earlier definition: the node is looked up by its id, and a field that has changed
 * since is not touched.
 */
export function withFix(definition: Definition, found: Definition, { path, value }: Fix): Definition {
  const node = nodeAt(found, path)
  const list: readonly unknown[] = Array.isArray(definition['nodes']) ? definition['nodes'] : []
  const target = nodesOf(definition).find(({ id }) => id === node)
  const here =
    node === null || target === undefined ? path : ['nodes', list.indexOf(target), ...path.slice(2)]
  return sameJson(valueAt(definition, here), valueAt(found, path))
    ? withValueAt(definition, here, value)
    : definition
}

const words: Readonly<Record<Severity, readonly [string, string]>> = {
  error: ['error', 'errors'],
  warning: ['warning', 'warnings'],
  info: ['note', 'notes'],
}

export const severities: readonly Severity[] = ['error', 'warning', 'info']

/** `2 errors`, `1 warning`. */
export function countOf(severity: Severity, count: number): string {
  const [one, more] = words[severity]
  return `${count} ${count === 1 ? one : more}`
}

/** `2 errors, 1 warning`; empty when there is nothing. */
export function summaryOf(problems: readonly Problem[]): string {
  return severities
    .map((severity) => [severity, problems.filter((one) => one.severity === severity).length] as const)
    .filter(([, count]) => count > 0)
    .map(([severity, count]) => countOf(severity, count))
    .join(', ')
}

/** The problems of each node that has some, in their order. */
export function problemsByNode(problems: readonly Problem[]): ReadonlyMap<string, readonly Problem[]> {
  const found = new Map<string, Problem[]>()
  for (const problem of problems) {
    if (problem.node === null) continue
    const others = found.get(problem.node)
    if (others === undefined) found.set(problem.node, [problem])
    else others.push(problem)
  }
  return found
}
