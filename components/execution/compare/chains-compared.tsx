'use client'

import { useMemo } from 'react'
import { Card } from '@/components/ui/card'
import { Table, Td, Th, Tr } from '@/components/ui/table'
import { useNow } from '@/components/ui/time'
import { durationText } from '@/components/ui/times'
import { criticalChain } from '@/core/engine/timeline/chain'
import { ChangeOf, PairedBars, type ComparedRun } from './comparison-parts'
import { alignChains, chainSteps, lengthOf, type AlignedStep, type ChainStep } from './compare-runs'

/** Rows that are drawn: a run may have thousands of attempts. */
const MOST = 200

/** The critical paths of both runs side by side. A node that is on both paths is one row. */
export function ChainsCompared({
  before,
  after,
  nameOf,
}: {
  before: ComparedRun
  after: ComparedRun
  nameOf: (id: string) => string
}) {
  const [was, is] = [useSteps(before), useSteps(after)]
  const rows = useMemo(() => alignChains(was, is), [was, is])
  const longest = Math.max(0, ...[...was, ...is].map(lengthOf))
  const sum = (steps: readonly ChainStep[]) => steps.reduce((total, step) => total + lengthOf(step), 0)
  return (
    <Card title="Critical paths">
      {rows.length === 0 ? (
        <p className="px-4 py-6 text-muted">Neither has begun.</p>
      ) : (
        <Table label="Critical paths of both runs">
          <thead>
            <tr>
              <Th>Link</Th>
              <Th className="text-right">Baseline</Th>
              <Th className="text-right">This run</Th>
              <Th className="text-right">Change</Th>
              <Th className="w-72">
                <span className="sr-only">Bars</span>
              </Th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MOST).map((row, at) => (
              <ChainRow key={at} row={row} longest={longest} nameOf={nameOf} />
            ))}
            {rows.length > MOST && (
              <Tr>
                <Td colSpan={5} className="text-faint">
                  and {rows.length - MOST} more
                </Td>
              </Tr>
            )}
          </tbody>
          <tfoot>
            <tr className="border-t border-line font-medium">
              <Td>In all</Td>
              <Td className="text-right font-mono text-xs">{durationText(sum(was))}</Td>
              <Td className="text-right font-mono text-xs">{durationText(sum(is))}</Td>
              <Td className="text-right">
                <ChangeOf ms={sum(is) - sum(was)} notable />
              </Td>
              <Td />
            </tr>
          </tfoot>
        </Table>
      )}
    </Card>
  )
}

/** The critical path of a run, up to the present while it goes on. */
function useSteps({ timeline, events }: ComparedRun): readonly ChainStep[] {
  const now = useNow()
  const end = timeline.finishedAt ?? Math.max(now, timeline.at)
  // The timeline is folded in place: it has grown whenever there are more events.
  const latest = useMemo(() => ({ timeline, events: events.length }), [timeline, events])
  return useMemo(() => chainSteps(criticalChain(latest.timeline, end)), [latest, end])
}

function ChainRow({
  row: { node, before, after },
  longest,
  nameOf,
}: {
  row: AlignedStep
  longest: number
  nameOf: (id: string) => string
}) {
  const [was, is] = [before, after].map((step) => (step === null ? null : lengthOf(step)))
  return (
    <Tr>
      <Td className="max-w-72 truncate">
        {node === null ? (
          <span className="text-faint">nothing</span>
        ) : (
          <span className="font-medium">{nameOf(node)}</span>
        )}
        <span className="ml-2 text-xs text-faint">
          {before === null ? 'only this run' : after === null ? 'only the baseline' : kindsOf(before, after)}
        </span>
      </Td>
      <Td className="text-right font-mono text-xs">{was == null ? '–' : durationText(was)}</Td>
      <Td className="text-right font-mono text-xs">{is == null ? '–' : durationText(is)}</Td>
      <Td className="text-right">
        <ChangeOf
          ms={was == null || is == null ? null : is - was}
          notable={was != null && is != null && Math.abs(is - was) >= 0.2 * Math.max(was, is, 500)}
        />
      </Td>
      <Td className="min-w-40">
        <PairedBars before={was ?? null} after={is ?? null} longest={longest} />
      </Td>
    </Tr>
  )
}

/** How much of the time was waiting. */
function kindsOf(before: ChainStep, after: ChainStep): string {
  const kinds = (
    [
      ['queue', 'in the queue'],
      ['wait', 'waiting'],
    ] as const
  ).flatMap(([kind, text]) =>
    before[kind] + after[kind] === 0
      ? []
      : [`${text} ${durationText(before[kind])} → ${durationText(after[kind])}`],
  )
  return kinds.join(', ')
}
