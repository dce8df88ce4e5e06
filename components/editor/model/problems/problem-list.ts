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

/** What the problems panel, the forms and the outline tell of what was found. Pure. */

export type Severity = Finding['severity']

/** One problem of the draft, in words and at its place. */
export type Problem = {
  /** The same as long as the same is wrong at the same place. */
  readonly key: string
  /** In the definition; empty: the text as a whole. */
  readonly path: readonly (string | number)[]
  /** In a text that cannot be read, from 1; null: what stands at `path`. */
  readonly line: number | null
  /** The node in which it stands. */
  readonly node: string | null
  /** All nodes that it is about: those of a cycle, or the one in which it stands. */
  readonly nodes: readonly string[]
  readonly severity: Severity
  /** Where it stands, for people. */
  readonly where: string
  readonly text: string
  readonly fix: Fix | undefined
  /** How nodes end in a run that shows it. */
  readonly counterExample: Finding['counterExample']
  /** The case that does not hold, by its place among those of the draft; null: it is about something else. */
  readonly rehearsal: number | null
}

/** The problems of a draft: of its text while that cannot be read, else what was found of what it says. */
export function problemsOf(
  { findings, of, trouble }: Checks,
  unreadable: readonly YamlIssue[],
  cases: readonly Case[] = [],
): readonly Problem[] {
  if (unreadable.length > 0)
    return unreadable.map(({ message, line }, at) =>
      plain(`text ${at}`, 'error', line === undefined ? 'code' : `line ${line}`, message, line ?? 1),
    )
  const definition = of ?? {}
  const seen = new Map<string, number>()
  const problems = findings.map((finding): Problem => {
    const { path, code, message, hint, severity, nodes, fix, counterExample } = finding
    const node = nodeAt(definition, path)
    // A field is called as its form calls it, not by where the text keeps it.
    const where = [node, ...(node === null ? path : path.slice(2))]
      .filter((part) => part !== null && part !== 'inputBindings')
      .join(' · ')
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
      counterExample,
      rehearsal: null,
    }
  })
  const told = [...problems, ...failingCases(cases)]
  return trouble === null ? told : [...told, plain('trouble', 'warning', 'check', trouble)]
}

function failingCases(cases: readonly Case[]): readonly Problem[] {
  return cases.flatMap(({ name, messages }, at) => {
    const [first] = messages ?? []
    if (first === undefined) return []
    const more = messages!.length > 1 ? ` (and ${messages!.length - 1} more)` : ''
    const text = `“${name}” does not hold: ${first}${more}`
    return [{ ...plain(`case ${at}`, 'warning', 'case', text), path: ['rehearsals', at], rehearsal: at }]
  })
}

function plain(
  key: string,
  severity: Severity,
  where: string,
  text: string,
  line: number | null = null,
): Problem {
  return {
    key,
    path: [],
    line,
    node: null,
    nodes: [],
    severity,
    where,
    text,
    fix: undefined,
    counterExample: [],
    rehearsal: null,
  }
}

function nodeAt(definition: Definition, [list, index]: readonly (string | number)[]): string | null {
  const id = list === 'nodes' && typeof index === 'number' ? valueAt(definition, [list, index, 'id']) : null
  return typeof id === 'string' ? id : null
}

/**
 * The definition with a problem mended. What was found may be of an earlier definition: the node is looked for by its id, and what
 * has been changed meanwhile is left alone.
 */
export function mended(definition: Definition, found: Definition, { path, value }: Fix): Definition {
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
