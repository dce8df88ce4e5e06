'use client'

import { Sparkles } from 'lucide-react'
import { useState } from 'react'
import { namesIn, skipText, waitText } from '@/components/graph/model/reasons'
import { cn } from '@/components/ui/class-names'
import { nodeStatus, StatusBadge } from '@/components/ui/status'
import { Table, Td, Th, Tr } from '@/components/ui/table'
import { durationText } from '@/components/ui/times'
import type { Shown } from '@/components/editor/model/rehearsal/rehearser'

/** Rows that are laid out at once. */
const PAGE = 100

/** What came of every node, as a table. */
export function NodeResults({
  shown,
  selected,
  onSelect,
}: {
  shown: Shown
  selected: string | null
  onSelect: (node: string) => void
}) {
  const [most, setMost] = useState(PAGE)
  const { pipeline } = shown
  const nameOf = namesIn(pipeline.nodes)
  const ids = pipeline.levels.flat()
  return (
    <div className="min-h-0 flex-1 overflow-y-auto bg-surface">
      <Table label="What comes of each node">
        <thead>
          <tr>
            <Th>Node</Th>
            <Th>State</Th>
            <Th className="text-right">Starts</Th>
            <Th className="text-right">Takes</Th>
            <Th>Why</Th>
          </tr>
        </thead>
        <tbody>
          {ids.slice(0, most).map((id) => {
            const fate = shown.nodes.get(id)
            if (fate === undefined) return null
            const { status, byHand, startedAfter, finishedAfter, error, waitingFor, restsOn } = fate
            const own = shown.view.nodes[id]
            const why =
              error?.message ??
              (status === 'skipped' && own !== undefined
                ? skipText(own, nameOf)
                : waitingFor === null
                  ? ''
                  : waitText(waitingFor, nameOf))
            return (
              <Tr key={id} className={cn(id === selected && 'shadow-[inset_3px_0_var(--accent)]')}>
                <Td className="max-w-64">
                  <button
                    type="button"
                    aria-pressed={id === selected}
                    onClick={() => onSelect(id)}
                    className="max-w-full truncate rounded-sm font-medium hover:text-accent"
                  >
                    {nameOf(id)}
                  </button>
                </Td>
                <Td>
                  <StatusBadge status={nodeStatus(fate)} />
                  {byHand && <span className="ml-1.5 text-xs text-muted">by hand</span>}
                </Td>
                <Td className="text-right font-mono text-xs">
                  {startedAfter === null ? '' : `+${durationText(startedAfter)}`}
                </Td>
                <Td className="text-right font-mono text-xs">
                  {startedAfter === null || finishedAfter === null
                    ? ''
                    : durationText(finishedAfter - startedAfter)}
                </Td>
                <Td className="max-w-96 truncate text-muted" title={why}>
                  {restsOn.length > 0 && (
                    <span
                      role="img"
                      aria-label="Reads made-up values"
                      title={`Reads made-up values: ${restsOn.join(', ')}`}
                      className="mr-1.5 inline-block align-[-2px]"
                    >
                      <Sparkles aria-hidden className="size-3.5 text-warning" />
                    </span>
                  )}
                  {why}
                </Td>
              </Tr>
            )
          })}
        </tbody>
      </Table>
      {ids.length > most && (
        <div className="p-3 text-center">
          <button
            type="button"
            className="rounded-sm font-medium text-accent hover:underline"
            onClick={() => setMost(most + PAGE)}
          >
            Show {Math.min(PAGE, ids.length - most)} more of {ids.length.toLocaleString('en-GB')}
          </button>
        </div>
      )}
    </div>
  )
}
