'use client'

import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import { compilePipeline } from '@/core/pipeline/compile'
import type { Problem as Proven } from '@/core/pipeline/problem'
import { createProver } from '@/core/pipeline/proofs'
import { validateDefinition } from '@/core/pipeline/validate'
import { taskCatalog } from '@/core/tasks/catalog'
import { useDraft, useEditor, useView } from './editor-context'
import type { Definition } from './draft'
import { withValueAt } from './edits'
import { selectionOf } from './view'

export type Problem = {
  readonly key: string
  readonly severity: 'error' | 'warning' | 'info'
  readonly where: string
  readonly text: string
  /** Of what it is told, in the definition; empty: of the whole. */
  readonly path: readonly (string | number)[]
  /** Of a text that cannot be read; null: it can. */
  readonly line: number | null
  readonly node: string | null
  readonly fix: Proven['fix']
}

const MOST_NODES = 10_000

/** Everything that is wrong with the draft, by the same function that the server refuses with, and what can be proven of it. */
export function useProblems(): readonly Problem[] {
  const definition = useDeferredValue(useDraft((draft) => draft.definition))
  const unreadable = useDraft((draft) => draft.unreadable)
  // It remembers what it found: an edit costs what follows the node that was edited.
  const [prove] = useState(createProver)
  const found = useMemo(() => {
    const checked = validateDefinition(definition, { tasks: taskCatalog, maxNodes: MOST_NODES })
    const compiled =
      checked.valid && checked.definition
        ? compilePipeline(checked.definition, { revision: 1, tasks: taskCatalog })
        : null
    const told = new Set(checked.issues.map(({ path, code }) => `${path.join('.')} ${code}`))
    const proven = compiled?.ok ? prove(compiled.pipeline) : []
    const news = proven.filter(({ path, code }) => !told.has(`${path.join('.')} ${code}`))
    return [...checked.issues, ...news].map((issue, at): Problem => {
      const { path, code, message, hint, severity } = issue
      const node = nodeAt(definition, path)
      const rest = node === null ? path : path.slice(2)
      return {
        key: `${at} ${code}`,
        severity: severity ?? 'error',
        where: [node, ...rest].filter((part) => part !== null).join(' · '),
        text: hint === undefined ? message : `${message} (${hint})`,
        path,
        line: null,
        node,
        fix: 'fix' in issue ? issue.fix : undefined,
      }
    })
  }, [definition, prove])
  return useMemo(
    () =>
      unreadable.length === 0
        ? found
        : unreadable.map(({ message, line }, at): Problem => ({
            key: `text ${at}`,
            severity: 'error',
            where: line === undefined ? 'code' : `line ${line}`,
            text: message,
            path: [],
            line: line ?? 1,
            node: null,
            fix: undefined,
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

const signs = {
  error: { icon: CircleAlert, name: 'Error', ink: 'text-danger' },
  warning: { icon: TriangleAlert, name: 'Warning', ink: 'text-warning' },
  info: { icon: Info, name: 'Note', ink: 'text-muted' },
}

/** The list of problems; each leads to its node, and is mended at once where what mends it is known. */
export function Problems({ problems }: { problems: readonly Problem[] }) {
  const { draft, view } = useEditor()
  const panel = useView((state) => state.panel)
  const lookAt = ({ node, path, line }: Problem) =>
    view.setState({
      ...(node === null ? {} : { selection: selectionOf(node) }),
      ...(panel === 'code' ? { sought: line ?? [...path] } : {}),
    })
  if (problems.length === 0)
    return (
      <p className="flex items-center gap-2 px-4 py-2 text-xs text-muted">
        <CircleCheck aria-hidden className="size-3.5 text-completed" /> No problems
      </p>
    )
  return (
    <ul aria-label="Problems" className="max-h-44 overflow-y-auto py-1">
      {problems.map((problem) => {
        const { key, severity, where, text, node, fix } = problem
        const { icon: Icon, name, ink } = signs[severity]
        return (
          <li key={key} className="flex items-start gap-2 pr-4">
            <button
              type="button"
              disabled={node === null && panel !== 'code'}
              onClick={() => lookAt(problem)}
              className="flex min-w-0 flex-1 items-start gap-2 px-4 py-1 text-left text-xs enabled:hover:bg-sunken"
            >
              <Icon aria-label={name} className={cn('mt-px size-3.5 shrink-0', ink)} />
              <span className="font-mono text-faint">{where}</span>
              <span>{text}</span>
            </button>
            {fix !== undefined && (
              <Button
                size="small"
                title={fix.value}
                aria-label={`Fix ${where}: ${fix.value}`}
                onClick={() =>
                  draft.edit(`Fix ${where}`, (definition) => withValueAt(definition, fix.path, fix.value))
                }
              >
                Fix
              </Button>
            )}
          </li>
        )
      })}
    </ul>
  )
}
