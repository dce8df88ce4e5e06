import { namesIn, skipText, waitText } from '@/components/graph/model/reasons'
import { durationText } from '@/components/ui/times'
import { rejectedBy } from '@/core/engine/rejection'
import type { Shown } from './rehearser'
import { skipRoot } from './skip-root'

/** A rehearsal in sentences. Pure. */

export type RehearsalSummary = {
  /** How the run ends, and after how long. */
  readonly headline: string
  /** One sentence for each failure, each group of skipped nodes, and each refused step of the plan. */
  readonly lines: readonly string[]
  /** Which nodes read made-up values, as sentences. */
  readonly invented: readonly string[]
}

/** Most names in one sentence. */
const MOST_NAMES = 6

const verbs: Partial<Record<string, string>> = {
  completed: 'completes',
  failed: 'fails',
  cancelled: 'is cancelled',
  rolled_back: 'is rolled back',
}

export function summarizeRehearsal(shown: Shown): RehearsalSummary {
  const nameOf = namesIn(shown.pipeline.nodes)
  return {
    headline: headlineOf(shown, nameOf),
    lines: [
      ...failures(shown, nameOf),
      ...failedChecks(shown),
      ...skips(shown, nameOf),
      ...shown.refused.map(
        ({ after, what, message }) => `Refused after ${durationText(after)}, ${what}: ${message}.`,
      ),
    ],
    invented: inventions(shown, nameOf),
  }
}

function headlineOf({ end, view, startedAt, endedAt }: Shown, nameOf: (id: string) => string): string {
  const after = durationText(endedAt - startedAt)
  switch (end.kind) {
    case 'finished': {
      const { handled_failures: handled, error } = view
      const by = end.status === 'failed' ? rejectedBy(error) : null
      if (by !== null) return `The run is rejected by ${by} after ${after}.`
      const how = end.status !== 'completed' || handled === 0 ? '' : `, ${handledText(handled)},`
      return `The run ${verbs[end.status] ?? `is ${end.status}`}${how} after ${after}.`
    }
    case 'stopped':
      return `Stopped after ${end.events.toLocaleString('en-GB')} events, ${after} into the run: it is still ${end.status}.`
    case 'waits': {
      const causes = end.nodes.filter(({ for: { kind } }) => kind !== 'nodes')
      const texts = causes
        .slice(0, MOST_NAMES)
        .map(({ node, for: waits }) => `${nameOf(node)} ${waitText(waits, nameOf)}`)
      return `After ${after} the run waits: ${texts.join('; ')}${andMore(causes.length)}.`
    }
  }
}

const handledText = (count: number): string =>
  count === 1 ? 'a failure handled' : `${count} failures handled`

const andMore = (count: number): string =>
  count > MOST_NAMES ? ` and ${(count - MOST_NAMES).toLocaleString('en-GB')} more` : ''

function failures({ nodes }: Shown, nameOf: (id: string) => string): readonly string[] {
  const failed = [...nodes].filter(([, { error }]) => error !== null)
  const texts = failed.slice(0, MOST_NAMES).map(([id, { error, attempts }]) => {
    const tries = attempts > 1 ? ` after ${attempts} tries` : ''
    // A person's no is a decision: its message says who.
    if (rejectedBy(error) !== null) return `${nameOf(id)} is ${error?.message}`
    return `${nameOf(id)} fails${tries}: ${error?.message ?? ''}`
  })
  return failed.length > MOST_NAMES ? [...texts, `${failed.length - MOST_NAMES} more nodes fail.`] : texts
}

function failedChecks({ view: { checks } }: Shown): readonly string[] {
  const failed = checks.filter(({ held }) => held === false)
  const texts = failed
    .slice(0, MOST_NAMES)
    .map(({ name, text }) => `Check '${name}' does not hold: ${text ?? ''}`)
  return failed.length > MOST_NAMES
    ? [...texts, `${failed.length - MOST_NAMES} more checks do not hold.`]
    : texts
}

/** The skipped nodes, grouped by their common cause, in the order of the pipeline. */
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

/** Why a node is skipped: the failure before it, or why the first of the skipped nodes before it was skipped. */
function reasonOf(shown: Shown, id: string, nameOf: (id: string) => string): string {
  const { at, failed } = skipRoot(shown, id)
  if (failed !== null) return `, as ${nameOf(failed)} failed`
  const own = shown.view.nodes[at]
  return own === undefined ? '' : `: ${skipText(own, nameOf)}`
}

function inventions(
  { nodes, outputsRestOn, checksRestOn }: Shown,
  nameOf: (id: string) => string,
): readonly string[] {
  const resting = [...nodes].filter(([, { restsOn, status }]) => restsOn.length > 0 && status !== 'pending')
  const texts = resting
    .slice(0, MOST_NAMES)
    .map(([id, { restsOn }]) => `${nameOf(id)} reads ${restsOn.slice(0, MOST_NAMES).join(', ')}`)
  if (resting.length > MOST_NAMES) texts.push(`${resting.length - MOST_NAMES} more nodes read such values`)
  if (outputsRestOn.length > 0)
    texts.push(`the outputs of the run read ${outputsRestOn.slice(0, MOST_NAMES).join(', ')}`)
  if (checksRestOn.length > 0) texts.push(`the checks read ${checksRestOn.slice(0, MOST_NAMES).join(', ')}`)
  return texts
}
