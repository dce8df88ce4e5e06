import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compiled } from '@/testing/engine-run'
import { riskOf, weightsOf } from './weight'

const step = (id: string, estimate: string, after?: string, more: object = {}) => ({
  id,
  task: 'file.write',
  inputBindings: { path: 'f', content: '' },
  startWhen: after === undefined ? 'event:pipeline.started' : `event:${after}.completed`,
  estimate,
  ...more,
})

describe('how much of a run waits for a node', () => {
  const pipeline = compiled({
    nodes: [
      step('a', '10s'),
      step('b', '5s', 'a'),
      step('c', '60s', 'a', { risk: { complexity: 1, impact: 1 } }),
      step('alone', '30s', undefined, { resources: { gpu: 5 } }),
    ],
  })

  it('[H-4] its remaining critical path, its own work included', () => {
    const weights = weightsOf(pipeline)
    expect([...weights].map(([id, { path }]) => [id, path]).sort()).toEqual([
      ['a', 70_000],
      ['alone', 30_000],
      ['b', 5_000],
      ['c', 60_000],
    ])
  })

  it('[H-4] the median of earlier runs counts before the estimate', () => {
    const weights = weightsOf(pipeline, {
      historyOf: (id) => (id === 'b' ? { p50: 100_000, failureRate: 0.5 } : undefined),
    })
    expect(weights.get('a')).toMatchObject({ path: 110_000 })
    expect(weights.get('b')).toEqual({ path: 100_000, risk: 0.2, weight: 120_000 })
  })

  it('[H-3] its risk makes it weigh up to twice as much', () => {
    const weights = weightsOf(pipeline, { capacityOf: (pool) => (pool === 'gpu' ? 10 : null) })
    expect(weights.get('c')).toEqual({ path: 60_000, risk: 0.4, weight: 84_000 })
    expect(weights.get('alone')).toEqual({ path: 30_000, risk: 0.1, weight: 33_000 })
  })

  it('[H-3] the risk of anything is within 0 and 1, and grows with each factor', () => {
    const any = fc.double({ min: -2, max: 3, noNaN: true })
    fc.assert(
      fc.property(any, any, any, any, (complexity, impact, failureRate, demand) => {
        const definition = { id: 'n', startWhen: 'event:pipeline.started', risk: { complexity, impact } }
        const risk = riskOf({ definition }, { failureRate, demand })
        expect(risk).toBeGreaterThanOrEqual(0)
        expect(risk).toBeLessThanOrEqual(1)
        expect(riskOf({ definition }, { failureRate: failureRate + 0.1, demand })).toBeGreaterThanOrEqual(
          risk,
        )
      }),
    )
    const all = { definition: { id: 'n', startWhen: '', risk: { complexity: 1, impact: 1 } } }
    expect(riskOf(all, { failureRate: 1, demand: 1 })).toBeCloseTo(1)
  })
})
