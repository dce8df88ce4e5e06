import { skipText } from '@/components/graph/model/drawing'
import { durationText } from '@/components/ui/times'
import type { Shown } from './rehearser'

/** A rehearsal in sentences. Pure. */

export type ToldRehearsal = {
  /** What the run comes to, and when. */
  readonly headline: string
  /** What came to pass on the way, one thing each: failures, what is skipped and why, what is waited for, what was refused. */
  readonly lines: readonly string[]
  /** What all of it rests on that nobody knows; empty: on nothing invented. */
  readonly invented: readonly string[]
}

/** Names that are told one by one. */
const MOST_NAMES = 6

const verbs: Partial<Record<string, string>> = {
  completed: 'completes',
  failed: 'fails',
  cancelled: 'is cancelled',
}

export function tellRehearsal(shown: Shown): ToldRehearsal {
  const nameOf = (id: string) => shown.pipeline.nodes.get(id)?.definition.name ?? id
  return {
    headline: headlineOf(shown, nameOf),
    lines: [
      ...failures(shown, nameOf),
      ...skips(shown, nameOf),
      ...shown.refused.map(
        ({ after, what, message }) => `Refused after ${durationText(after)}, ${what}: ${message}.`,
      ),
    ],
    invented: inventions(shown, nameOf),
  }
}

function headlineOf({ end, startedAt, endedAt }: Shown, nameOf: (id: string) => string): string {
  const after = durationText(endedAt - startedAt)
  switch (end.kind) {
    case 'finished':
      return `The run ${verbs[end.status] ?? `is ${end.status}`} after ${after}.`
    case 'stopped':
      return `Stopped after ${end.events.toLocaleString('en-GB')} events, ${after} into the run: it is still ${end.status}.`
    case 'waits': {
      const causes = end.nodes.filter(({ for: { kind } }) => kind !== 'nodes')
      const told = causes.slice(0, MOST_NAMES).map(({ node, for: { text } }) => `${nameOf(node)} ${text}`)
      return `After ${after} the run waits: ${told.join('; ')}${andMore(causes.length)}.`
    }
  }
}

const andMore = (count: number): string =>
  count > MOST_NAMES ? ` and ${(count - MOST_NAMES).toLocaleString('en-GB')} more` : ''

function failures({ nodes }: Shown, nameOf: (id: string) => string): readonly string[] {
  const failed = [...nodes].filter(([, { error }]) => error !== null)
  const told = failed.slice(0, MOST_NAMES).map(([id, { error, attempts }]) => {
    const tries = attempts > 1 ? ` after ${attempts} tries` : ''
    return `${nameOf(id)} fails${tries}: ${error?.message ?? ''}`
  })
  return failed.length > MOST_NAMES ? [...told, `${failed.length - MOST_NAMES} more nodes fail.`] : told
}

/** Nodes that are skipped, by what they all go back to, in the order of the pipeline. */
function skips(shown: Shown, nameOf: (id: string) => string): readonly string[] {
  const byReason = new Map<string, string[]>()
  for (const [id, { status }] of shown.nodes) {
    if (status !== 'skipped') continue
    const reason = reasonOf(shown, id, nameOf)
    const ids = byReason.get(reason)
    if (ids === undefined) byReason.set(reason, [id])
    else ids.push(id)
  }
  return [...byReason].map(([reason, ids]) => {
    const verb = ids.length === 1 ? 'is skipped' : 'are skipped'
    return `${ids.slice(0, MOST_NAMES).map(nameOf).join(', ')}${andMore(ids.length)} ${verb}${reason}`
  })
}

/** Why a node is skipped: what failed before it, else why the first was skipped of those before it. */
function reasonOf({ nodes, view }: Shown, id: string, nameOf: (id: string) => string): string {
  const seen = new Set<string>()
  for (let at = id; ;) {
    seen.add(at)
    const own = view.nodes[at]
    const before = /^(?:event:)?([a-z][a-z0-9_]*)\.[a-z_]+$/.exec(own?.skip_cause ?? '')?.[1] ?? ''
    const status = nodes.get(before)?.status
    if (status === 'failed' && own?.skip_reason === 'upstream_failed') return `, as ${nameOf(before)} failed`
    if (status !== 'skipped' || seen.has(before)) return own === undefined ? '' : `: ${skipText(own)}`
    at = before
  }
}

function inventions({ nodes, outputsRestOn }: Shown, nameOf: (id: string) => string): readonly string[] {
  const resting = [...nodes].filter(([, { restsOn, status }]) => restsOn.length > 0 && status !== 'pending')
  const told = resting
    .slice(0, MOST_NAMES)
    .map(([id, { restsOn }]) => `${nameOf(id)} reads ${restsOn.slice(0, MOST_NAMES).join(', ')}`)
  if (resting.length > MOST_NAMES) told.push(`${resting.length - MOST_NAMES} more nodes read such values`)
  if (outputsRestOn.length > 0)
    told.push(`the outputs of the run read ${outputsRestOn.slice(0, MOST_NAMES).join(', ')}`)
  return told
}
