import { refusalByHand } from '@/core/engine/decide/by-hand'
import { byHandOutputs } from '@/testing/by-hand-outputs'
import type { ExecutionRow } from '@/server/ports/journal'
import type { Store } from '@/server/store/store'
import { person } from '@/testing/person'
import { createRequests, type Reached, type RunRequest } from './requests'
import type { World } from './world'

const PEOPLE = [person('ada', ['approver']), person('bob', ['approver']), person('eve', ['operator'])]

export type PeopleOptions = {
  readonly world: World
  /** What is on the disk, seen without faults. */
  readonly store: Store
  readonly troubled: () => boolean
  readonly runs: readonly RunRequest[]
  /** How likely somebody pauses, resumes or cancels, when they do something about a run. */
  readonly steering: number
  /** Node ids by pipeline. */
  readonly nodes: (pipelineId: string) => readonly string[]
}

/**
 * The people around a world: they start runs, decide, publish, pause and cancel while there is trouble, and afterwards help
 * every run to its end. They resume only what they paused themselves: what the engine paused, it has to resume.
 */
export function createPeople({ world, store, troubled, steering, runs, nodes }: PeopleOptions) {
  const { random } = world
  const requests = createRequests(PEOPLE[0]!)
  const { acknowledged } = requests
  /** Runs that a person paused, or tried to. */
  const paused = new Set<string>()
  let goingBack = 0

  /** Somebody does something. Answers whether there was anything to do. */
  async function act(at: Reached): Promise<boolean> {
    const missing = runs.filter(({ key }) => !acknowledged.starts.has(key))
    if (missing.length > 0) await requests.start(at, random.pick(missing))
    else if (random.chance(0.05)) await requests.start(at, random.pick(runs))
    const published = requests.published()
    if (published.length > 0 && random.chance(0.2)) await requests.publishAgain(at, random.pick(published))
    if (troubled() && random.chance(0.1)) await goBack(at)
    const open = await store.executions.open({ limit: 100 })
    if (open.length === 0) return missing.length > 0
    return (await help(at, random.pick(open))) || missing.length > 0
  }

  async function help(at: Reached, row: ExecutionRow): Promise<boolean> {
    const { executionId } = row
    const state = await at.runs.state(executionId)
    if (state === null) throw new Error(`${executionId} is open and cannot be folded`)
    const waiting = [...state.nodes]
      .filter(([, node]) => node.status === 'waiting' && node.approval !== null)
      .map(([id]) => id)
    const actor = random.pick(PEOPLE)
    const own = paused.has(executionId) && state.pauses.person !== null
    if (troubled() && random.chance(steering / 2)) {
      await at.engine.submit({ executionId, input: { type: 'cancel', reason: null, actor } })
    } else if (own && random.chance(0.5)) {
      await at.engine.submit({ executionId, input: { type: 'resume', actor } })
    } else if (troubled() && random.chance(steering)) {
      paused.add(executionId)
      await at.engine.submit({
        executionId,
        input: { type: 'pause', reason: null, hard: random.chance(0.5), actor },
      })
    } else {
      const decision = `${random.pick(waiting.length > 0 ? waiting : ['nobody'])}.${random.chance(0.75) ? 'approved' : 'rejected'}`
      const word = waiting.length > 0 && random.chance(0.7) ? decision : `e${random.whole(0, 2)}`
      await requests.publish(at, { executionId, eventType: `external.${word}`, actor })
    }
    return own || waiting.length > 0
  }

  /** Runs some nodes of any execution again, completes one by hand, or forks it anywhere. A refusal is an answer, too. */
  async function goBack(at: Reached): Promise<void> {
    const rows = (await store.executions.list({ limit: 100 })).items
    if (rows.length === 0 || rows.length === 100) return
    const { executionId, pipelineId } = random.pick(rows)
    const actor = PEOPLE[0]!
    goingBack += 1
    const percent = random.whole(0, 99)
    if (percent < 30) {
      const { length } = await store.journal.read(executionId)
      await at.engine.fork({ executionId, atSeq: random.whole(0, length), actor })
    } else if (percent < 51) {
      await completeSome(at, executionId)
    } else {
      const again = random.chance(0.5) ? ('failed' as const) : [random.pick(nodes(pipelineId))]
      await at.engine.submit({ executionId, input: { type: 'rerun', nodes: again, actor } })
    }
    goingBack -= 1
  }

  /** Somebody did the work of a node that failed, or that waits for a retry. */
  async function completeSome({ engine, runs: reads }: Reached, executionId: string): Promise<void> {
    const state = await reads.state(executionId)
    if (state === null) return
    const stuck = [...state.nodes.keys()].filter((id) => refusalByHand(state, id) === null)
    if (stuck.length === 0) return
    const node = random.pick(stuck)
    const subPipelines = (await reads.subPipelines(state)) ?? new Map<string, never>()
    const outputs = byHandOutputs(state, node, subPipelines)
    const input = { type: 'complete_by_hand', node, outputs, reason: 'done', actor: PEOPLE[1]! } as const
    await engine.submit({ executionId, input: { ...input, subPipelines } })
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
