'use client'

import { useState, type ReactNode } from 'react'
import type { NodeDurations, PipelineDurations } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { durationText } from '@/components/ui/times'
import { proposalsOf, type Proposal, type Savings } from './proposals'

/** Proposals that are listed at first. */
const FIRST = 5

type NameOf = (id: string) => string

/** What would make runs shorter, and by how much: each node or group of siblings without its time, and more slots. */
export function OptimiseFirst({
  savings,
  nodes,
  runs,
  nameOf,
}: {
  /** null: not computed yet. */
  savings: Savings | null
  nodes: PipelineDurations['nodes']
  /** How many runs there are. */
  runs: number
  nameOf: NameOf
}) {
  const [all, setAll] = useState(false)
  if (savings === null) return null
  const proposals = proposalsOf(savings)
  const shown = all ? proposals : proposals.slice(0, FIRST)
  return (
    <Card title="What to optimise first">
      <p className="border-b border-line px-4 py-2 text-xs text-muted">
        By the usual durations of the {runs === 1 ? 'latest run' : `latest ${runs} runs`} a run takes{' '}
        {durationText(savings.total_ms)} with the slots of this server.{' '}
        {proposals.length === 0
          ? 'No node and no slot more would make it shorter.'
          : 'What would make it shorter, and by how much:'}
      </p>
      {proposals.length > 0 && (
        <ol aria-label="What to optimise first">
          {shown.map((proposal, at) => (
            <ProposalRow
              key={proposal.key}
              proposal={proposal}
              place={at + 1}
              total={savings.total_ms}
              nameOf={nameOf}
            />
          ))}
        </ol>
      )}
      <Waits nodes={nodes} runs={runs} nameOf={nameOf} />
      {proposals.length > FIRST && (
        <div className="flex justify-center border-t border-line p-2">
          <Button size="small" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? `Only the first ${FIRST}` : `All ${proposals.length}`}
          </Button>
        </div>
      )}
    </Card>
  )
}

function ProposalRow({
  proposal,
  place,
  total,
  nameOf,
}: {
  proposal: Proposal
  place: number
  total: number
  nameOf: NameOf
}) {
  const { saving } = proposal
  const part = Math.max(1, Math.round((100 * saving) / Math.max(1, total)))
  return (
    <li
      data-optimise={proposal.key}
      className="grid grid-cols-[1.5rem_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2 last:border-0 sm:grid-cols-[1.5rem_minmax(0,22rem)_minmax(0,1fr)_12rem]"
    >
      <span className="self-start text-right text-faint">{place}</span>
      <span className="min-w-0">
        {proposal.kind === 'places' ? (
          <What title={`More ${POOLS[proposal.pool] ?? proposal.pool}`}>{placesText(proposal)}</What>
        ) : (
          <NodesText proposal={proposal} nameOf={nameOf} />
        )}
      </span>
      <span aria-hidden className="flex h-4 max-sm:order-last max-sm:col-span-2 max-sm:col-start-2">
        <span
          {...(proposal.kind === 'places' ? { 'data-kind': 'queued', 'data-status': 'queued' } : {})}
          className={`${proposal.kind === 'places' ? 'timeline-bar' : 'bg-accent'} min-w-0.5 rounded-sm`}
          style={{ width: `${Math.min(100, part)}%` }}
        />
      </span>
      <span className="text-right whitespace-nowrap">
        <span className="font-semibold">saves {durationText(saving)}</span>
        <span className="ml-2 text-xs text-faint">{part} %</span>
      </span>
    </li>
  )
}

function What({ title, hint, children }: { title: string; hint?: string; children?: ReactNode }) {
  return (
    <>
      <span className="block truncate font-medium" title={hint ?? title}>
        {title}
      </span>
      {children !== undefined && <span className="block text-xs text-muted">{children}</span>}
    </>
  )
}

function NodesText({
  proposal: { nodes, count, alone, work },
  nameOf,
}: {
  proposal: Extract<Proposal, { kind: 'nodes' }>
  nameOf: NameOf
}) {
  const names = nodes.map(nameOf)
  if (count === 1) return <What title={names[0] ?? ''} hint={nodes[0] ?? ''} />
  const first = names.slice(0, 2).join(', ')
  return (
    <What
      title={count > 2 ? `${first} and ${count - 2} more alike` : first}
      hint={[...nodes, ...(count > nodes.length ? ['…'] : [])].join(', ')}
    >
      {count} nodes that do the same, {durationText(work)} of work together
      {alone !== null && `; ${nameOf(alone.node_id)} alone saves ${savedText(alone.saving_ms)}`}
    </What>
  )
}

const savedText = (ms: number): string => (ms < 1 ? 'nothing' : durationText(ms))

const POOLS: Readonly<Record<string, string>> = { slots: 'slots', children: 'child processes' }

function placesText({ pool, amount, enough, enoughSaving }: Extract<Proposal, { kind: 'places' }>): string {
  const what = POOLS[pool] ?? pool
  const twice = `Work waits for one of ${amount} ${what}: twice as many save that`
  return enough <= amount * 2
    ? `Work waits for one of ${amount} ${what}: ${enough} are enough`
    : `${twice}; ${enough} are enough, and save ${durationText(enoughSaving)}`
}

/** Time that nobody can make shorter. */
function Waits({ nodes, runs, nameOf }: { nodes: readonly NodeDurations[]; runs: number; nameOf: NameOf }) {
  const waits = nodes.filter(({ critical }) => critical.wait_ms > 0)
  if (waits.length === 0) return null
  return (
    <p className="border-t border-line px-4 py-2 text-xs text-muted">
      Besides, the runs waited for people, events or a time:{' '}
      {waits
        .slice(0, FIRST)
        .map(
          ({ node_id: id, critical }) =>
            `${nameOf(id)} ${durationText(critical.wait_ms / Math.max(1, runs))} a run`,
        )
        .join(', ')}
      {waits.length > FIRST && ` and ${waits.length - FIRST} more`}.
    </p>
  )
}
