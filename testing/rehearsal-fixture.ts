import type { Entry, JsonObject } from '@/core/engine/event'
import { typedEvent } from '@/core/engine/typed-event'
import { parseInstant } from '@/core/engine/instant'
import { chanceOf } from '@/core/engine/decide/retry'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import { resolveInputs } from '@/core/pipeline/definition/inputs'
import type { AttemptRequest, AttemptResult } from '@/server/ports/runner'
import { ada } from './engine-run'
import { person } from './person'
import { createOrchestratorFixture } from './orchestrator-fixture'

/** What happened in which order and when, in lines that can be compared: type, item, attempt, milliseconds from the start. */
export function orderOf(entries: readonly Entry[]): string[] {
  const start = parseInstant(entries[0]!.event.timestamp)
  return entries
    .filter(({ event }) => !event.type.endsWith('.task.running'))
    .map(({ event: { type, item, attempt, timestamp } }) => {
      const which = `${item === undefined ? '' : ` item ${item}`}${attempt === undefined ? '' : ` #${attempt}`}`
      return `${type}${which} at ${parseInstant(timestamp) - start}`
    })
}

/** What a world does around a real run. Times in milliseconds. */
export type RealWorld = {
  readonly inputs?: JsonObject
  readonly durationOf: (node: string, item: number | null, attempt: number) => number
  readonly resultOf: (request: AttemptRequest) => AttemptResult
  /** Who decides an approval, from when it opens. */
  readonly decisionsOf?: (node: string) => readonly Decision[]
  readonly events?: readonly { readonly type: string; readonly after: number }[]
  readonly slots?: number
  readonly cancelAfter?: number
  /** Pipelines that its nodes run. */
  readonly pipelines?: readonly PipelineDefinition[]
}

export type Decision = {
  readonly by: string
  readonly decision: 'approved' | 'rejected'
  readonly after: number
}

/** Most happenings of one world. */
const PATIENCE = 20_000

/** The journal of a run of the real orchestrator on a virtual clock, with workers that do what they are given. */
export async function runForReal(definition: PipelineDefinition, real: RealWorld): Promise<readonly Entry[]> {
  const at = await createOrchestratorFixture([], {
    pipelines: [definition, ...(real.pipelines ?? [])],
    maxConcurrentTasks: real.slots ?? 1_000,
  })
  const { world, engine, feed } = at
  const entries: Entry[] = []
  const submit = (after: number, input: Parameters<typeof engine.submit>[0]['input']) =>
    world.schedule(world.now + after, () => void engine.submit({ executionId, input }))
  let executionId = ''
  feed.onCommit((commit) => {
    executionId ||= commit.executionId
    if (commit.executionId !== executionId) return
    for (const entry of commit.entries) {
      entries.push(entry)
      const typed = typedEvent(entry.event)
      if (typed.level !== 'node' || typed.word !== 'waiting' || typed.payload.for !== 'people') continue
      for (const { by, decision, after } of real.decisionsOf?.(typed.node) ?? []) {
        const actor = person(by, ['approver'])
        const eventType = `external.${typed.node}.${decision}`
        submit(after, { type: 'publish_event', eventType, payload: {}, actor })
      }
    }
  })
  const inputs = resolveInputs(definition.inputs ?? {}, real.inputs)
  if (!inputs.ok) throw new Error(JSON.stringify(inputs.issues))
  const started = await at.settle(
    engine.start({
      pipelineId: definition.id,
      revision: 1,
      inputs: inputs.values as JsonObject,
      actor: ada,
      priority: definition.policy?.priority ?? 5,
      labels: {},
      mocks: {},
    }),
  )
  if (!started.ok) throw new Error(started.rejection.message)
  for (const { type, after } of real.events ?? [])
    submit(after, { type: 'publish_event', eventType: type, payload: {}, actor: ada })
  if (real.cancelAfter !== undefined)
    submit(real.cancelAfter, { type: 'cancel', reason: 'enough', actor: ada })

  const reported = new Set<(typeof at.dispatched)[number]>()
  let taken = 0
  for (let turn = 0; turn < PATIENCE; turn++) {
    for (; taken < at.dispatched.length; taken++) {
      const { request, sink } = at.dispatched[taken]!
      const { nodeId, item, attempt } = request
      const dispatched = at.dispatched[taken]!
      world.schedule(world.now + real.durationOf(nodeId, item, attempt), () => {
        if (reported.has(dispatched)) return
        reported.add(dispatched)
        sink.done(real.resultOf(request))
      })
    }
    for (const dispatched of at.dispatched) {
      if (dispatched.aborted === null || reported.has(dispatched)) continue
      reported.add(dispatched)
      const kind = dispatched.aborted === 'timeout' ? 'timeout' : 'cancelled'
      dispatched.sink.done({ ok: false, error: { kind, message: dispatched.aborted } })
    }
    if (entries.at(-1)?.event.type === 'pipeline.closed') {
      if (at.fatal.length > 0 || at.warnings.length > 0) throw new Error(at.warnings.join('; '))
      await engine.stop()
      return entries
    }
    if (!(await world.advance())) break
  }
  throw new Error(`the run does not end: ${orderOf(entries).slice(-10).join(', ')}`)
}

/** A time that a text decides, so that no two things end at one instant by more than bad luck. */
export const timeOf = (text: string, most: number): number => 1 + Math.floor(chanceOf(text) * most)

/** Did several things happen at one instant, each by itself? Then their order was chance. */
export function hasTies(entries: readonly Entry[]): boolean {
  const causes = entries.filter(
    ({ event: { type, attempt } }) =>
      /\.task\.(completed|failed|lost)$/.test(type) ||
      /\.timeout$|^external\./.test(type) ||
      (type.endsWith('.task.started') && (attempt ?? 1) > 1) ||
      (type.startsWith('pipeline.') && type.endsWith('.cancelling')),
  )
  const instants = causes.map(({ event }) => event.timestamp)
  return new Set(instants).size < instants.length
}
