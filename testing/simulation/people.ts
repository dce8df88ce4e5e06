import type { Orchestrator } from '@/server/orchestrator/contract'
import type { ExecutionRow } from '@/server/ports/journal'
import type { Store } from '@/server/store/store'
import { person } from '@/testing/person'
import type { World } from './world'

const PEOPLE = [person('ada', ['approver']), person('bob', ['approver']), person('eve', ['operator'])]

type Published = {
  readonly executionId: string
  readonly eventType: string
  readonly actor: (typeof PEOPLE)[number]
}

/** What the world answered to somebody, and must never take back. */
export type Acknowledged = {
  /** Key of a start request → id of its execution. */
  readonly starts: Map<string, string>
  readonly events: Map<string, { readonly executionId: string; readonly seq: number; readonly type: string }>
}

export type PeopleOptions = {
  readonly world: World
  /** What is on the disk, seen without faults. */
  readonly store: Store
  readonly troubled: () => boolean
  /** One run each is asked for, again and again until it is acknowledged. */
  readonly runs: readonly { readonly key: string; readonly pipelineId: string; readonly priority: number }[]
  /** How likely somebody pauses, resumes or cancels, when they do something about a run. */
  readonly steering: number
  /** Node ids by pipeline. */
  readonly nodes: (pipelineId: string) => readonly string[]
}

/**
 * The people around a world: they start runs, decide, publish, pause and cancel while there is trouble, and afterwards help
 * every run to its end. They resume only what they paused themselves: what the engine paused, it has to resume. Every request carries a key; what was not acknowledged is asked again, and so is now and then what was:
 * the first answer counts.
 */
export function createPeople({ world, store, troubled, steering, runs, nodes }: PeopleOptions) {
  const { random } = world
  const acknowledged: Acknowledged = { starts: new Map(), events: new Map() }
  const requests = new Map<string, Published>()
  /** Runs that a person paused, or tried to. */
  const paused = new Set<string>()
  let goingBack = 0

  /** Somebody does something. Answers whether there was anything to do. */
  async function act(at: Orchestrator): Promise<boolean> {
    const missing = runs.filter(({ key }) => !acknowledged.starts.has(key))
    if (missing.length > 0) await startRun(at, random.pick(missing))
    else if (random.chance(0.05)) await startRun(at, random.pick(runs))
    if (requests.size > 0 && random.chance(0.2)) await publish(at, random.pick([...requests.keys()]))
    if (troubled() && random.chance(0.1)) await goBack(at)
    const open = await store.executions.open({ limit: 100 })
    if (open.length === 0) return missing.length > 0
    return (await help(at, random.pick(open))) || missing.length > 0
  }

  async function help(at: Orchestrator, row: ExecutionRow): Promise<boolean> {
    const { executionId } = row
    const state = await at.state(executionId)
    if (state === null) throw new Error(`${executionId} is open and cannot be folded`)
    const waiting = [...state.nodes]
      .filter(([, node]) => node.status === 'waiting' && node.approval !== null)
      .map(([id]) => id)
    const actor = random.pick(PEOPLE)
    const own = paused.has(executionId) && state.pauses.person !== null
    if (troubled() && random.chance(steering / 2)) {
      await at.submit({ executionId, input: { type: 'cancel', reason: null, actor } })
    } else if (own && random.chance(0.5)) {
      await at.submit({ executionId, input: { type: 'resume', actor } })
    } else if (troubled() && random.chance(steering)) {
      paused.add(executionId)
      await at.submit({
        executionId,
        input: { type: 'pause', reason: null, hard: random.chance(0.5), actor },
      })
    } else {
      const decision = `${random.pick(waiting.length > 0 ? waiting : ['nobody'])}.${random.chance(0.75) ? 'approved' : 'rejected'}`
      const word = waiting.length > 0 && random.chance(0.7) ? decision : `e${random.whole(0, 2)}`
      const key = `event-${requests.size}`
      requests.set(key, { executionId, eventType: `external.${word}`, actor })
      await publish(at, key)
    }
    return own || waiting.length > 0
  }

  /** Runs some nodes of any execution again, or forks it anywhere. A refusal is an answer, too. */
  async function goBack(at: Orchestrator): Promise<void> {
    const rows = (await store.executions.list({ limit: 100 })).items
    if (rows.length === 0 || rows.length === 100) return
    const { executionId, pipelineId } = random.pick(rows)
    const actor = PEOPLE[0]!
    goingBack += 1
    if (random.chance(0.3)) {
      const { length } = await store.journal.read(executionId)
      await at.fork({ executionId, atSeq: random.whole(0, length), actor })
    } else {
      const again = random.chance(0.5) ? ('failed' as const) : [random.pick(nodes(pipelineId))]
      await at.submit({ executionId, input: { type: 'rerun', nodes: again, actor } })
    }
    goingBack -= 1
  }

  async function startRun(at: Orchestrator, run: PeopleOptions['runs'][number]): Promise<void> {
    const { key, pipelineId, priority } = run
    const answer = await at.start({
      pipelineId,
      revision: 1,
      inputs: {},
      actor: PEOPLE[0]!,
      priority,
      labels: {},
      mocks: {},
      idempotency: { scope: 'start', key, requestDigest: key },
    })
    if (!answer.ok) throw new Error(`start refused: ${answer.rejection.message}`)
    const before = acknowledged.starts.get(key)
    if (before !== undefined && before !== answer.executionId)
      throw new Error(`${key} started twice: ${before}, ${answer.executionId}`)
    acknowledged.starts.set(key, answer.executionId)
  }

  async function publish(at: Orchestrator, key: string): Promise<void> {
    const { executionId, eventType, actor } = requests.get(key)!
    const answer = await at.submit({
      executionId,
      input: { type: 'publish_event', eventType, payload: {}, actor },
      idempotency: { scope: executionId, key, requestDigest: key },
    })
    const before = acknowledged.events.get(key)
    const first = answer.ok ? answer.entries[0] : undefined
    if (before !== undefined && first?.seq !== before.seq)
      throw new Error(`${key} was ${before.seq} of ${executionId}, and is now ${JSON.stringify(answer)}`)
    if (first !== undefined) acknowledged.events.set(key, { executionId, seq: first.seq, type: eventType })
  }

  return {
    acknowledged,
    act,
    /** Is somebody waiting for an answer after which what is over begins again? */
    goingBack: () => goingBack > 0,
    /** The process is gone, and with it all answers. */
    forget: () => void (goingBack = 0),
  }
}
