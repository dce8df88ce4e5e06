import { describe, expect, it } from 'vitest'
import type { NodeDefinition, PipelineDefinition } from '@/core/pipeline/definition/definition'
import { S, ada, heavy } from '@/testing/engine-run'
import { createOrchestratorFixture } from '@/testing/orchestrator-fixture'
import type { SubmitRequest } from './contract'

const leaf: PipelineDefinition = { schemaVersion: 1, id: 'leaf', name: 'leaf', nodes: [heavy('t')] }
const child: PipelineDefinition = {
  schemaVersion: 1,
  id: 'child',
  name: 'child',
  nodes: [{ id: 'sub', pipeline: 'leaf', startWhen: S }],
}
const parent: NodeDefinition[] = [
  { id: 'sub', pipeline: 'child', startWhen: S },
  { id: 'many', pipeline: 'leaf', startWhen: S, forEach: { items: [1, 2] } },
]

const pause = (hard: boolean): SubmitRequest['input'] => ({ type: 'pause', reason: null, hard, actor: ada })
const SCRIPT: Record<string, readonly SubmitRequest['input'][]> = {
  'paused and resumed': [pause(false), { type: 'resume', actor: ada }],
  'paused hard and resumed': [pause(true), { type: 'resume', actor: ada }],
  paused: [pause(false)],
  cancelled: [{ type: 'cancel', reason: null, actor: ada }],
  'paused and cancelled': [pause(false), { type: 'cancel', reason: null, actor: ada }],
  'run again': [{ type: 'rerun', nodes: ['sub'], actor: ada }],
}

/** Plays the inputs with a crash after the commit of that number, counted from the first input; answers how many there were. */
async function play(inputs: readonly SubmitRequest['input'][], crashAt: number) {
  let commits = -1
  const at = await createOrchestratorFixture(parent, {
    pipelines: [child, leaf],
    maxIdle: 0,
    crashAfter: () => commits >= 0 && (commits += 1) === crashAt,
  })
  const id = await at.started()
  await at.until(() => at.dispatched.length === 3)
  commits = 0
  const { epoch } = at.world
  for (const input of inputs) {
    if (at.world.epoch !== epoch) break
    let answered = false
    void at.engine.submit({ executionId: id, input }).then(() => (answered = true))
    await at.until(() => answered || at.world.epoch !== epoch)
  }
  for (let turn = 0; turn < 60 && at.world.epoch === epoch; turn++) await at.world.advance()
  const crashed = at.world.epoch !== epoch
  commits = -1
  if (crashed) await at.reboot()
  for (let turn = 0; turn < 200; turn++) await at.world.advance()
  return { at, id, crashed }
}

describe('a family of runs and every window in which the process can die', () => {
  it.each(Object.entries(SCRIPT))(
    '[R-91][R-69][R-72] %s: children follow their parent',
    async (_, inputs) => {
      for (let crashAt = 1, crashed = true; crashed && crashAt < 40; crashAt++) {
        const played = await play(inputs, crashAt)
        crashed = played.crashed
        const { at, id } = played
        const where = `crash after commit ${crashAt}`
        const parentState = await at.settle(at.runs.state(id))
        for (const { executionId } of (await at.store.executions.list({ limit: 50 })).items) {
          const state = await at.settle(at.runs.state(executionId))
          if (state === null || parentState === null) throw new Error(`${where}: ${executionId} is gone`)
          for (const attempt of state.inFlight.values())
            if (attempt.child !== null)
              expect(await at.status(attempt.child), `${where}: ${attempt.child}`).toBeDefined()
          const waitedFor = [...parentState.inFlight.values()].some((one) => one.child === executionId)
          const descends = state.parent?.executionId === id ? waitedFor : true
          if (state.cancelling === null && state.finishedAt === null && descends)
            expect([state.executionId, state.paused], where).toEqual([state.executionId, parentState.paused])
          else if (!descends) expect(state.cancelling, `${where}: ${executionId}`).not.toBeNull()
          if (parentState.cancelling !== null)
            expect(state.cancelling, `${where}: ${executionId}`).not.toBeNull()
        }
        expect(at.runs.violations(), where).toEqual([])
        expect(at.warnings, where).toEqual([])
        if (crashAt === 1) expect(crashed).toBe(true)
      }
    },
  )
})
