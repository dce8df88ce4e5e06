'use client'

import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react'
import { useDeferredValue, useMemo } from 'react'
import { validateDefinition } from '@/core/pipeline/validate'
import { taskCatalog } from '@/core/tasks/catalog'
import { useDraft } from './editor-context'
import type { Definition } from './draft'

type Problem = {
  readonly key: string
  readonly severity: 'error' | 'warning'
  readonly where: string
  readonly text: string
  readonly node: string | null
}

const MOST_NODES = 10_000

/** Everything that is wrong with the draft, by the same function that the server refuses with. */
export function useProblems(): readonly Problem[] {
  const definition = useDeferredValue(useDraft((draft) => draft.definition))
  const unreadable = useDraft((draft) => draft.unreadable)
  const found = useMemo(() => {
    const { issues } = validateDefinition(definition, { tasks: taskCatalog, maxNodes: MOST_NODES })
    return issues.map(({ path, code, message, hint, severity }, at): Problem => {
      const node = nodeAt(definition, path)
      const rest = node === null ? path : path.slice(2)
      return {
        key: `${at} ${code}`,
        severity: severity === 'warning' ? 'warning' : 'error',
        where: [node, ...rest].filter((part) => part !== null).join(' · '),
        text: hint === undefined ? message : `${message} (${hint})`,
        node,
      }
    })
  }, [definition])
  return useMemo(
    () =>
      unreadable.length === 0
        ? found
        : unreadable.map(({ message, line }, at): Problem => ({
            key: `text ${at}`,
            severity: 'error',
            where: line === undefined ? 'code' : `line ${line}`,
            text: message,
            node: null,
          })),
    [found, unreadable],
  )
}

function nodeAt(definition: Definition, [list, index]: readonly (string | number)[]): string | null {
  if (list !== 'nodes' || typeof index !== 'number' || !Array.isArray(definition['nodes'])) return null
  const node: unknown = definition['nodes'][index]
  return typeof node === 'object' && node !== null && 'id' in node && typeof node.id === 'string'
    ? node.id
    : null
}

/** The list of problems; each leads to its node. */
export function Problems({ problems, onGo }: { problems: readonly Problem[]; onGo: (node: string) => void }) {
  if (problems.length === 0)
    return (
      <p className="flex items-center gap-2 px-4 py-2 text-xs text-muted">
        <CircleCheck aria-hidden className="size-3.5 text-completed" /> No problems
      </p>
    )
  return (
    <ul aria-label="Problems" className="max-h-44 overflow-y-auto py-1">
      {problems.map(({ key, severity, where, text, node }) => (
        <li key={key}>
          <button
            type="button"
            disabled={node === null}
            onClick={() => node !== null && onGo(node)}
            className="flex w-full items-start gap-2 px-4 py-1 text-left text-xs enabled:hover:bg-sunken"
          >
            {severity === 'error' ? (
              <CircleAlert aria-label="Error" className="mt-px size-3.5 shrink-0 text-danger" />
            ) : (
              <TriangleAlert aria-label="Warning" className="mt-px size-3.5 shrink-0 text-warning" />
            )}
            <span className="font-mono text-faint">{where}</span>
            <span>{text}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
