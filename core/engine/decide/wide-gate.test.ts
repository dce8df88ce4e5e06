import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ada, EngineRun, failing, noop, set } from '@/testing/engine-run'
import { explain } from '@/core/engine/view/explain'
import { isTerminal } from '@/core/engine/state'
import { formatStartWhen, parseStartWhen } from '@/core/pipeline/gate/start-when'
import type { Truth } from '@/core/pipeline/gate/evaluate'
import { evaluateGate } from './gate'
import { isStillPending, wideGateOf } from './wide-gate'

const ids = (count: number) => Array.from({ length: count }, (_, at) => `n${at}`)

describe('a wide gate', () => {
  it('[R-87] opens on the last of 800 events, and every step looks at few of them', () => {
    const gate = ids(800)
      .map((id) => `event:${id}.completed`)
      .join(' && ')
    const run = new EngineRun(
      { nodes: [...ids(800).map((id) => noop(id)), noop('join', gate)] },
      { slots: 1_000 },
    )
    const wide = wideGateOf(run.state.pipeline.nodes.get('join')!)!
    const wait = { from: 0, touched: [] as string[] }
    const ended = new Set<string>()
    let looks = 0
    const truthOf = (type: string): Truth => {
      looks += 1
      return ended.has(type) ? 'true' : 'pending'
    }
    for (const id of ids(800).toReversed()) {
      expect(isStillPending(wide, wait, truthOf)).toBe(true)
      ended.add(`${id}.completed`)
      wait.touched.push(id)
    }
    expect(isStillPending(wide, wait, truthOf)).toBe(false)
    expect(looks).toBeLessThan(3_300)

    for (const id of ids(799)) expect(run.complete(id)).not.toContain('join.started')
    expect(explain(run.state, 'join')).toMatchObject({
      start_when: { kind: 'and', truth: 'pending' },
      waiting_for: { kind: 'nodes', names: ['n799'] },
    })
    expect(run.complete('n799')).toContain('join.started')
    run.drain().check()
    expect(run.payload('join.started')['gate']).toMatchObject({ events: { length: 800 } })
    expect(run.count('join.started')).toBe(1)
  })

  it('[R-87] records of more events than a payload holds the failures that it handles, and the first of the others', () => {
    const long = (at: number) => `n${String(at).padStart(4, '0')}_${'x'.repeat(50)}`
    const nodes = Array.from({ length: 600 }, (_, at) => (at === 599 ? failing(long(at)) : noop(long(at))))
    const gate = nodes.map(({ id }, at) => `event:${id}.${at === 599 ? 'failed' : 'completed'}`).join(' && ')
    const run = new EngineRun({ nodes: [...nodes, noop('join', gate)] }, { slots: 1_000 }).drain()
    run.check()
    const { events } = run.payload('join.started')['gate'] as { events: string[] }
    expect(JSON.stringify(events).length).toBeLessThan(25_000)
    expect(events[0]).toBe(`${long(0)}.completed`)
    expect(events.at(-1)).toBe(`${long(599)}.failed`)
    expect(run.state.lifecycle).toBe('COMMIT')
  })

  const literal = (at: number) =>
    fc
      .constantFrom('completed', 'completed', 'completed', 'failed', 'started', 'skipped', 'task.failed')
      .chain((word) => fc.constantFrom('', '', '', '!').map((sign) => `${sign}event:n${at}.${word}`))
  const wide = (join: string) =>
    fc
      .tuple(fc.tuple(...ids(40).map((_, at) => literal(at))), fc.boolean())
      .map(([all, asks]) => [...all, ...(asks && join === '&&' ? ['{{ n3.v > 0 }}'] : [])].join(` ${join} `))
  const plain = (word: string) =>
    fc.constantFrom(' && ', ' || ').map((join) =>
      ids(40)
        .map((id) => `event:${id}.${word}`)
        .join(join),
    )
  const gates = fc.oneof(wide('&&'), wide('||'), plain('completed'), plain('failed'))

  it('[R-87] [R-5] is found pending exactly when the whole evaluation says so, after every step and rerun', () => {
    fc.assert(
      fc.property(
        gates,
        fc.array(fc.tuple(fc.nat(39), fc.nat(19)), { minLength: 40, maxLength: 90 }),
        (text, steps) => {
          const first = ids(40).map((id) => set(id, { v: 1 }, undefined, { allowFailure: true }))
          const run = new EngineRun(
            { nodes: [...first, noop('join', text, { allowFailure: true })] },
            { slots: 100 },
          )
          const join = run.state.pipeline.nodes.get('join')!
          for (const [at, chance] of steps) {
            const id = `n${at}`
            const { status } = run.node(id)
            if (chance < 2 && isTerminal(status)) run.take({ type: 'rerun', nodes: [id], actor: ada })
            else if (status === 'running' && chance < 4) run.fail(id)
            else if (status === 'running') run.complete(id, { v: 1 })
            const now = evaluateGate(run.state, join)
            if (run.node('join').status === 'pending') expect(now.truth).toBe('pending')
          }
          run.drain().check()
        },
      ),
      { numRuns: 30 },
    )
  })
})

describe('the shape of a wide gate', () => {
  const some = new EngineRun({ nodes: [noop('a')] }).state.pipeline.nodes.get('a')!
  const shapeOf = (text: string) => {
    const parsed = parseStartWhen(text)
    if (!parsed.ok) throw new Error(parsed.error.message)
    return wideGateOf({ ...some, gate: parsed.value })
  }
  const many = (join: string, more: string) =>
    [...ids(40).map((id) => `event:${id}.completed`), more].join(join)

  it('[R-87] has none where a part may decide that is not an event of a node', () => {
    expect(shapeOf(many(' && ', '{{ a.v }}'))?.events).toHaveLength(40)
    expect(shapeOf(many(' || ', '{{ a.v }}'))).toBeNull()
    expect(shapeOf(many(' && ', 'event:external.x'))).toBeNull()
    expect(shapeOf(many(' && ', '(event:a.failed || event:b.failed)'))).toBeNull()
    expect(shapeOf('event:a.completed && event:b.completed')).toBeNull()
  })

  it('[R-87] stays readable as text', () => {
    const text = many(' && ', '!event:a.failed')
    const parsed = parseStartWhen(text)
    expect(parsed.ok && formatStartWhen(parsed.value)).toBe(text)
  })
})
