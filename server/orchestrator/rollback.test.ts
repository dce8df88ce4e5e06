import { describe, expect, it } from 'vitest'
import type { Entry } from '@/core/engine/event'
import { logViolations } from '@/core/engine/invariants'
import type { NodeDefinition } from '@/core/pipeline/definition/definition'
import { S, ada } from '@/testing/engine-run'
import { createOrchestratorFixture } from '@/testing/orchestrator-fixture'

const work = (id: string, startWhen: string): NodeDefinition => ({
  id,
  task: 'script.javascript',
  inputBindings: { code: 'return 1' },
  outputVariables: { made: id },
  startWhen,
  rollback: { task: 'file.write', inputBindings: { path: 'x', content: `{{ ${id}.made }}` } },
})

/** a, then b and c, then d. */
const nodes = [
  work('a', S),
  work('b', 'event:a.completed'),
  work('c', 'event:a.completed'),
  work('d', 'event:b.completed && event:c.completed'),
]

/**
 * A run that completed is rolled back, and runs again where `restart`; the process dies after the commit of that number, counted from the
 * rollback on. Workers answer whatever they are asked. Answers whether it died.
 */
async function play(restart: boolean, crashAt: number) {
  let commits = -1
  const at = await createOrchestratorFixture(nodes, {
    maxIdle: 0,
    crashAfter: () => commits >= 0 && (commits += 1) === crashAt,
  })
  const id = await at.started()
  const answered = new Set<object>()
  const epochs: number[] = []
  /** Everybody works until the run is closed, or the process is dead. */
  async function goOn(): Promise<void> {
    const { epoch } = at.world
    for (let turn = 0; turn < 400 && at.world.epoch === epoch; turn++) {
      epochs.push(...at.dispatched.slice(epochs.length).map(() => epoch))
      for (const [index, one] of at.dispatched.entries()) {
        if (answered.has(one) || epochs[index] !== epoch || one.aborted !== null) continue
        answered.add(one)
        one.sink.done({ ok: true, outputs: one.request.input })
        break
      }
      await at.world.advance()
      const row = await at.store.executions.get(id)
      if (row?.closedAt != null && turn > 5) return
    }
  }
  await goOn()
  expect(await at.status(id)).toBe('completed')
  commits = 0
  const { epoch } = at.world
  const input = {
    type: 'roll_back',
    scope: 'execution',
    target: null,
    restart,
    reason: null,
    actor: ada,
  } as const
  void at.engine.submit({ executionId: id, input })
  await goOn()
  const crashed = at.world.epoch !== epoch
  commits = -1
  if (crashed) {
    await at.reboot()
    await goOn()
  }
  const entries: Entry[] = []
  for await (const entry of journalOf(at, id)) entries.push(entry)
  return { at, id, crashed, entries }
}

async function* journalOf(at: Awaited<ReturnType<typeof createOrchestratorFixture>>, id: string) {
  for (let after = 0; ;) {
    const page = await at.store.journal.read(id, { after, limit: 100 })
    yield* page
    if (page.length === 0) return
    after = page.at(-1)!.event.seq
  }
}

describe('a rollback and every window in which the process can die', () => {
  it.each([
    ['ends', false],
    ['begins again', true],
  ])('[R-91][H-13][H-O7] %s: every node is undone once, leaves first, under one key', async (_, restart) => {
    let crashes = 0
    for (let crashAt = 1, crashed = true; crashed && crashAt < 60; crashAt++) {
      const played = await play(restart, crashAt)
      crashed = played.crashed
      crashes += Number(crashed)
      const { at, id, entries } = played
      const where = `crash after commit ${crashAt}`
      expect(await at.status(id), where).toBe(restart ? 'completed' : 'rolled_back')
      const types = entries.map(({ event }) => event.type)
      const undone = types.filter((type) => type.endsWith('.rollback.completed'))
      expect(undone.toSorted(), where).toEqual(
        ['a', 'b', 'c', 'd'].map((node) => `${node}.rollback.completed`),
      )
      expect([undone[0], undone[3]], where).toEqual(['d.rollback.completed', 'a.rollback.completed'])
      for (const [first, next] of [
        ['d', 'b'],
        ['d', 'c'],
        ['b', 'a'],
        ['c', 'a'],
      ])
        expect(types.indexOf(`${first}.rolled_back`), where).toBeLessThan(
          types.indexOf(`${next}.rollback.started`),
        )
      const keys = at.dispatched
        .map(({ request }) => request.idempotencyKey)
        .filter((key) => key.endsWith('/rollback'))
      expect([...new Set(keys)].toSorted(), where).toEqual(
        ['a', 'b', 'c', 'd'].map((node) => `${id}/${node}/1/rollback`),
      )
      const tokens = at.dispatched.map(({ request }) => `${request.nodeId}/${request.token}`)
      expect(new Set(tokens).size, where).toBe(tokens.length)
      expect(logViolations(entries, []), where).toEqual([])
      expect([...at.runs.violations(), ...at.fatal, ...at.warnings], where).toEqual([])
    }
    // One for the plan, and one for the end of each compensation.
    expect(crashes).toBeGreaterThan(4)
  })
})
