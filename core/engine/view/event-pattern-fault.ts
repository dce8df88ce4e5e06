import { closest } from '@/core/pipeline/suggest'
import { EVENT_TABLE } from '@/core/engine/event-table'

const { pipeline, node, task } = EVENT_TABLE
const kinds = [
  ...Object.keys(pipeline).map((word) => ['pipeline', word]),
  ...Object.keys(node).map((word) => ['{node}', word]),
  ...Object.keys(task).map((word) => ['{node}', 'task', word]),
  ['external', '{source}'],
]

/**
 * Why no event can ever match a pattern of event types [R-34], or null. A filter that never matches is a mistake of whoever
 * wrote it. The names of nodes are not looked at: another pipeline, or the next revision, may have them.
 */
export function eventPatternFault(pattern: string): string | null {
  const segments = pattern.split('.')
  if (kinds.some((kind) => mayMatch(segments, kind))) return null
  const [source = '', ...name] = segments
  const names = kinds
    .filter((kind) => mayMatch([source, ...kind.slice(1)], kind))
    .map((kind) => kind.slice(1).join('.'))
  const near = closest(name.join('.'), names)
  return `nothing publishes '${pattern}'${near === null ? '' : `; did you mean ${source}.${near}?`}`
}

function mayMatch(pattern: readonly string[], kind: readonly string[]): boolean {
  if (kind[0] === 'external') return pattern.length > 1 && (pattern[0] === 'external' || pattern[0] === '*')
  return (
    pattern.length === kind.length &&
    kind.every(
      (part, at) => pattern[at] === '*' || (part === '{node}' ? isNode(pattern[at]) : part === pattern[at]),
    )
  )
}

const isNode = (word: string | undefined): boolean => word !== 'pipeline' && word !== 'external'
