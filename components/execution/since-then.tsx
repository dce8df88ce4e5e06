'use client'

import { ArrowRight } from 'lucide-react'
import { useMemo } from 'react'
import { StatusIcon, statusText } from '@/components/ui/status'
import { changesBetween, pictureOf, type VariableChange } from '@/core/engine/view/changes'
import { preview } from './preview'
import { useRunNow } from './scrub'

/** Changes of a kind that are listed; the rest is counted. */
const MOST = 40

/** What differs between two instants: the status of nodes, and the values of variables. */
export function SinceThen({ since, at }: { since: number; at: number }) {
  const { foldAt, pipeline } = useRunNow()
  const [from, to] = since < at ? [since, at] : [at, since]
  const before = useMemo(() => pictureOf(foldAt(from).state), [foldAt, from])
  const after = useMemo(() => pictureOf(foldAt(to).state), [foldAt, to])
  const { nodes, variables } = useMemo(() => changesBetween(before, after), [before, after])
  const nameOf = (id: string) => pipeline.nodes.get(id)?.definition.name ?? id
  const more = Math.max(0, nodes.length - MOST) + Math.max(0, variables.length - MOST)
  return (
    <div className="max-h-40 overflow-y-auto border-t border-line bg-surface px-4 py-2 text-xs lg:px-6">
      <h2 className="font-semibold">
        Between event {from} and event {to}
      </h2>
      {nodes.length + variables.length === 0 ? (
        <p className="mt-1 text-muted">
          Nothing changed between these two events. Move to another event to see changes.
        </p>
      ) : (
        <ul aria-label="What changed" className="mt-1 grid gap-x-6 gap-y-0.5 md:grid-cols-2">
          {nodes.slice(0, MOST).map(({ node, from, to }) => (
            <li key={node} className="flex min-w-0 items-center gap-1.5">
              <span className="min-w-0 truncate font-medium">{nameOf(node)}</span>
              <StatusIcon status={from} className="size-3" />
              <span className="shrink-0 text-muted">{statusText(from)}</span>
              <ArrowRight aria-label="to" className="size-3 shrink-0 text-faint" />
              <StatusIcon status={to} className="size-3" />
              <span className="shrink-0">{statusText(to)}</span>
            </li>
          ))}
          {variables.slice(0, MOST).map(({ name, from, to }) => (
            <li key={name} className="flex min-w-0 items-baseline gap-1.5">
              <code className="shrink-0 font-medium">{name}</code>
              <code className="min-w-0 truncate text-muted">{textOf(from)}</code>
              <ArrowRight aria-label="to" className="size-3 shrink-0 self-center text-faint" />
              <code className="min-w-0 truncate">{textOf(to)}</code>
            </li>
          ))}
        </ul>
      )}
      {more > 0 && <p className="mt-1 text-faint">and {more} more</p>}
    </div>
  )
}

function textOf(written: VariableChange['from']): string {
  if (written === null) return 'not set'
  return written.ref === undefined ? preview(written.value) : 'a large value'
}
