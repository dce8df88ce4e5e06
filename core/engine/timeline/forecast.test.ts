import { describe, expect, it } from 'vitest'
import { EngineRun, S, ada, gate, heavy, noop, wait } from '@/testing/engine-run'
import { viewOf } from '@/core/engine/view/project'

const viewAt = (run: EngineRun, estimates: Parameters<typeof viewOf>[2] = {}) =>
  viewOf(run.state, run.now, estimates)
const inMs = (run: EngineRun, instant: string | null) =>
  instant === null ? null : Date.parse(instant) - run.now
const of = (nodes: Record<string, [number, number | null]>) => ({
  estimates: new Map(Object.entries(nodes).map(([id, [p50, p90]]) => [id, { p50, p90 }])),
})

describe('when a run is expected to end', () => {
  it('[R-29] takes earlier runs first, then the definition, then a second', () => {
    const run = new EngineRun({
      nodes: [
        heavy('a', S, { estimate: '10s' }),
        heavy('b', 'event:a.completed', { estimate: '20s' }),
        heavy('c', 'event:b.completed'),
      ],
    })
    expect(inMs(run, viewAt(run).eta)).toBe(31_000)
    expect(inMs(run, viewAt(run, of({ a: [4_000, null] })).eta)).toBe(25_000)
    run.now += 3_000
    expect(inMs(run, viewAt(run, of({ a: [4_000, null] })).eta)).toBe(22_000)
    // Longer than it usually takes: any moment, but not before now.
    run.now += 3_000
    expect(inMs(run, viewAt(run, of({ a: [4_000, null] })).eta)).toBe(21_000)
  })

  it('counts with the timer of a wait, before it begins and while it lasts', () => {
    const run = new EngineRun({ nodes: [heavy('a'), wait('w', '10m', 'event:a.completed')] })
    expect(inMs(run, viewAt(run).eta)).toBe(601_000)
    run.complete('a')
    run.now += 60_000
    expect(inMs(run, viewAt(run).eta)).toBe(540_000)
    expect(inMs(run, viewAt(run).eta_p90)).toBe(540_000)
  })

  it('counts a next try from when it is due', () => {
    const retry = { maxAttempts: 2, strategy: 'fixed', delay: '5m', jitter: 0 } as const
    const run = new EngineRun({ nodes: [heavy('a', S, { retry, estimate: '10s' })] })
    run.fail('a')
    expect(inMs(run, viewAt(run).eta)).toBe(310_000)
    run.now += 100_000
    expect(inMs(run, viewAt(run).eta)).toBe(210_000)
  })

  it('leaves out what would not start if all goes well, until it has to', () => {
    const run = new EngineRun({
      nodes: [heavy('a'), heavy('undo', 'event:a.failed', { estimate: '1h' })],
    })
    expect(inMs(run, viewAt(run).eta)).toBe(1_000)
    run.fail('a')
    expect(inMs(run, viewAt(run).eta)).toBe(3_600_000)
  })

  it('[R-5] begins at the first alternative that suffices, with the last of what has to be together', () => {
    const run = new EngineRun({
      nodes: [
        heavy('quick', S, { estimate: '10s' }),
        heavy('slow', S, { estimate: '60s' }),
        heavy('any', 'event:quick.completed || event:slow.completed', { estimate: '100s' }),
        heavy('both', 'event:quick.completed && event:slow.completed', { estimate: '5s' }),
        heavy('either', '(event:quick.completed && event:slow.completed) || event:quick.failed', {
          estimate: '30s',
        }),
      ],
    })
    const { eta, critical_path, nodes } = viewAt(run)
    expect(inMs(run, eta)).toBe(110_000)
    expect(critical_path).toEqual(['quick', 'any'])
    // `either` waits for it, and `any` does not.
    expect(nodes['slow']?.slack_ms).toBe(20_000)
    expect(nodes['quick']?.slack_ms).toBe(0)
    // That one can no longer suffice: the other decides.
    run.fail('quick')
    expect(viewAt(run).critical_path.slice(-2)).toEqual(['slow', 'any'])
    expect(inMs(run, viewAt(run).eta)).toBe(160_000)
  })

  it('[R-5] takes for granted nothing from outside that it can do without', () => {
    const either = heavy('c', 'event:external.go || event:a.completed', { estimate: '5s' })
    const run = new EngineRun({ nodes: [heavy('a', S, { estimate: '10s' }), either] })
    expect(inMs(run, viewAt(run).eta)).toBe(15_000)
    const nothing = heavy('c', '!(event:a.failed && event:b.failed)', { estimate: '5s' })
    const a = heavy('a', S, { estimate: '10s' })
    const b = heavy('b', S, { estimate: '4s' })
    // It is certain when the first of them has not failed.
    const sure = new EngineRun({ nodes: [a, b, nothing] })
    expect(inMs(sure, viewAt(sure).eta)).toBe(10_000)
    expect(viewAt(sure).nodes['c']?.slack_ms).toBe(1_000)
  })

  it('is not known where people have to decide; names them and what is left after', () => {
    const run = new EngineRun({
      nodes: [
        heavy('a'),
        gate('g', {}, 'event:a.completed'),
        heavy('c', 'event:g.approved', { estimate: '3m' }),
      ],
    })
    const { eta, waits_for } = viewAt(run)
    expect(eta).toBe(null)
    expect(waits_for).toMatchObject({ node_id: 'g', kind: 'people', after_ms: 180_000 })
    expect(inMs(run, waits_for!.from)).toBe(1_000)
    // Earlier decisions give an estimate.
    expect(inMs(run, viewAt(run, of({ g: [60_000, null] })).eta)).toBe(241_000)
    run.complete('a')
    run.now += 5_000
    expect(viewAt(run, of({ g: [60_000, null] })).eta).toBe(null)
    expect(viewAt(run).waits_for).toMatchObject({ node_id: 'g', after_ms: 180_000 })
    expect(inMs(run, viewAt(run).waits_for!.from)).toBe(0)
    run.event('external.g.approved')
    expect(viewAt(run).waits_for).toBe(null)
    expect(inMs(run, viewAt(run).eta)).toBe(180_000)
  })

  it('does not say what is left after a wait where another wait follows', () => {
    const run = new EngineRun({
      nodes: [gate('g'), noop('h', 'event:g.approved && event:external.go')],
    })
    expect(viewAt(run).waits_for).toMatchObject({
      node_id: 'g',
      after_ms: null,
      then: { node_id: 'h', kind: 'event' },
    })
    run.event('external.g.approved')
    expect(viewAt(run).waits_for).toMatchObject({
      node_id: 'h',
      kind: 'event',
      after_ms: 1_000,
      then: null,
    })
  })

  it('is not known where an event from outside has to come, also beside what goes on', () => {
    const run = new EngineRun({
      nodes: [heavy('a'), heavy('b', 'event:a.completed && event:external.go'), noop('c', S)],
    })
    expect(viewAt(run)).toMatchObject({
      eta: null,
      waits_for: { node_id: 'b', kind: 'event', after_ms: 1_000 },
    })
    run.event('external.go')
    expect(viewAt(run).waits_for).toBe(null)
    expect(inMs(run, viewAt(run).eta)).toBe(2_000)
  })

  it('is absent for a run that is paused, is being cancelled or is over', () => {
    const run = new EngineRun({ nodes: [heavy('a')] })
    run.take({ type: 'pause', reason: null, hard: false, actor: ada })
    expect(viewAt(run)).toMatchObject({ status: 'paused', eta: null })
    run.take({ type: 'resume', actor: ada })
    expect(viewAt(run).eta).not.toBe(null)
    run.complete('a')
    expect(viewAt(run)).toMatchObject({ status: 'completed', eta: null, eta_p90: null })
  })
})

describe('how late a run may well end', () => {
  it('adds up by squares along the path what nodes may take beyond their median', () => {
    const run = new EngineRun({ nodes: [heavy('a'), heavy('b', 'event:a.completed')] })
    const known = of({ a: [10_000, 13_000], b: [20_000, 24_000] })
    expect(inMs(run, viewAt(run, known).eta)).toBe(30_000)
    expect(inMs(run, viewAt(run, known).eta_p90)).toBe(35_000)
    run.now += 11_000
    // Past its median: of its spread two seconds are left.
    expect(inMs(run, viewAt(run, known).eta_p90)).toBe(20_000 + Math.round(Math.hypot(2_000, 4_000)))
    expect(viewAt(run, of({ a: [10_000, 13_000], b: [20_000, null] })).eta_p90).toBe(null)
  })

  it('is decided by a branch that is usually shorter and sometimes much longer', () => {
    const run = new EngineRun({
      nodes: [heavy('a'), heavy('b'), heavy('c', 'event:a.completed && event:b.completed')],
    })
    const known = of({ a: [10_000, 11_000], b: [8_000, 60_000], c: [1_000, 1_000] })
    expect(inMs(run, viewAt(run, known).eta)).toBe(11_000)
    expect(inMs(run, viewAt(run, known).eta_p90)).toBe(61_000)
  })
})
