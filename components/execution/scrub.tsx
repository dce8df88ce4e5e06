'use client'

import { SLOTS } from '@/core/pipeline/definition/demand'
import { usePathname, useSearchParams } from 'next/navigation'
import {
  createContext,
  useContext,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from 'react'
import { PastNow } from '@/components/ui/time'
import { writeQuery } from '@/components/ui/write-query'
import { criticalChain } from '@/core/engine/timeline/chain'
import { explain } from '@/core/engine/view/explain'
import { parseInstant } from '@/core/engine/instant'
import { viewOf } from '@/core/engine/view/project'
import { isTerminal } from '@/core/engine/state'
import type { ExecutionView } from '@/core/engine/view/view'
import {
  inputOf,
  RunContext,
  useRunOf,
  useRunPart,
  useRunSource,
  type Run,
  type RunSource,
} from './run-context'
import { readShown, withinRun, type Shown } from './shown-instants'

/** The instant of a run that is shown, and what changes it. */
export type Scrub = {
  /** The run in the present. */
  readonly live: RunSource
  /** Whether the open tab shows instants. */
  readonly here: boolean
  /** The seq whose state is shown; null: the present. */
  readonly seq: number | null
  /** The seq to compare with; null: none. */
  readonly since: number | null
  /** The address names an event that the run does not have: the present is shown. */
  readonly missing: boolean
  readonly go: (seq: number | null) => void
  readonly compare: (since: number | null) => void
  /** Adds the parameters of the instant to those of an address. */
  readonly params: (search: string) => URLSearchParams
}

const ScrubContext = createContext<Scrub | null>(null)

export function useScrub(): Scrub {
  const scrub = useContext(ScrubContext)
  if (scrub === null) throw new Error('useScrub belongs below Scrubbed')
  return scrub
}

/** The run in the present, whatever instant is shown. */
export const useRunNow = (): Run => useRunOf(useScrub().live)

/** While the slider is dragged or played, the address is written this long after: browsers limit how often it may change. */
const WRITE_AFTER_MS = 250

/**
 * Shows the run below as it was at the instant of the address (`?at=<seq>`, compared with `?since=<seq>`), or as it is. Everything
 * that reads the run sees that instant, and clocks show its time.
 */
export function Scrubbed({ children }: { children: ReactNode }) {
  const source = useRunSource()
  const here = !/\/compare$/.test(usePathname())
  const search = useSearchParams()
  const given = `${search.get('at') ?? ''} ${search.get('since') ?? ''}`
  const asked = () => readShown({ at: search.get('at'), since: search.get('since') })
  const [shown, setShown] = useState(asked)
  const readAgain = useEffectEvent(() => setShown(asked()))
  const written = useRef(given)
  useEffect(() => {
    if (written.current === given) return
    written.current = given
    readAgain()
  }, [given])
  const { isWithin, seq, since } = useRunPart((run) => instantsOf(run, shown, here))
  if (!isWithin) setShown(withinRun(shown, source.run().events.length))
  const write = useRef(() => {})
  write.current = () => {
    const next = paramsOf(shown, location.search)
    const key = `${next.get('at') ?? ''} ${next.get('since') ?? ''}`
    if (key === written.current) return
    written.current = key
    writeQuery(next)
  }
  useEffect(() => {
    const timer = setTimeout(() => write.current(), WRITE_AFTER_MS)
    return () => clearTimeout(timer)
  }, [shown])

  // The past does not change when the run goes on.
  const run = useMemo(() => (seq === null ? null : runAt(source.run(), seq)), [seq, source])
  const past = useMemo(() => (run === null ? null : { watch: never, run: () => run }), [run])
  const scrub = useMemo<Scrub>(
    () => ({
      live: source,
      here,
      seq,
      since,
      missing: shown.missing,
      go: (at) => setShown((before) => ({ ...before, at, missing: false })),
      compare: (since) => setShown((before) => ({ ...before, since, missing: false })),
      params: (search) => paramsOf(shown, search),
    }),
    [source, here, seq, since, shown],
  )
  return (
    <ScrubContext value={scrub}>
      <PastNow value={run?.past?.at ?? null}>
        <RunContext value={past ?? source}>{children}</RunContext>
      </PastNow>
    </ScrubContext>
  )
}

/** The seqs of a run that are shown and compared. `isWithin` is false where it has no such event and all of it was read. */
function instantsOf({ events: { length: last }, whole, view }: Run, shown: Shown, here: boolean) {
  const bounded = (seq: number | null) => (seq === null || !here ? null : Math.max(1, Math.min(seq, last)))
  const at = bounded(shown.at)
  return {
    isWithin: !whole || withinRun(shown, last) === shown,
    // The last instant of a closed run is its present.
    seq: at === last && view.closed_at !== null ? null : at,
    since: bounded(shown.since),
  }
}

/** The past never changes: there is nothing to watch. */
const never = () => () => {}

function paramsOf(shown: Shown, search: string): URLSearchParams {
  const next = new URLSearchParams(search)
  for (const name of ['at', 'since'] as const)
    if (shown[name] === null) next.delete(name)
    else next.set(name, String(shown[name]))
  return next
}

function runAt(live: Run, seq: number): Run {
  const { estimates, capacities, foldAt } = live
  const { state, timeline } = foldAt(seq)
  const at = parseInstant(live.events[seq - 1]!.timestamp)
  const view = viewOf(state, at, { estimates, timeline, capacities })
  return {
    ...live,
    view,
    events: live.events.slice(0, seq),
    milestones: live.milestones.filter((event) => event.seq <= seq),
    explain: (nodeId) => explain(foldAt(seq).state, nodeId),
    inputAt: (nodeId, from) => inputOf(foldAt(seq).state, nodeId, from),
    slots: state.held.get(SLOTS) ?? 0,
    past: { seq, at, chain: criticalChain(timeline, at, aheadOf(view)) },
  }
}

/** The part of the critical path that has not ended. */
export function aheadOf({ critical_path: path, nodes }: ExecutionView): readonly string[] {
  return path.filter((id) => !isTerminal(nodes[id]?.status ?? 'completed'))
}
