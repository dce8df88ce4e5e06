import { expect, it } from 'vitest'
import { compiled, gate, heavy, noop, set, type NodeSpec } from '@/testing/engine-run'
import { logViolations, replayDiffers, violations } from '@/core/engine/invariants'
import type { RehearsalPlan } from './plan'
import { rehearse } from './rehearse'

function played(nodes: readonly NodeSpec[], plan: RehearsalPlan) {
  const result = rehearse(compiled({ nodes: [...nodes] }), plan)
  if (!result.ok) throw new Error(JSON.stringify(result.issues))
  const { rehearsal } = result
  expect(violations(rehearsal.state)).toEqual([])
  expect(logViolations(rehearsal.entries, rehearsal.state.pipeline.finallyNodes)).toEqual([])
  expect(replayDiffers(rehearsal.state, rehearsal.entries)).toBe(false)
  return rehearsal
}

const load = heavy('load', undefined, {
  retry: { maxAttempts: 2, delay: '10s', jitter: 0 },
  outputVariables: { rows: '{{ result.result }}' },
})
const use = set('use', { v: '{{ load.rows + 1 }}' }, 'event:load.completed')
const failure = { attempts: 'all', message: 'no' } as const

it('[R-94] plans that somebody completes a node by hand, some time after it has failed', () => {
  const byHand = { after: '5m', outputs: { rows: 12 }, reason: 'from the archive', by: 'bob' }
  const { nodes, view, endedAt, state, refused } = played([load, use], {
    nodes: { load: { duration: 1000, failure, byHand } },
  })
  expect(refused).toEqual([])
  expect(view).toMatchObject({
    status: 'completed',
    generation: 2,
    nodes: {
      load: { by_hand: { actor: 'bob', reason: 'from the archive' } },
      use: { outputs: { v: 13 } },
    },
  })
  expect(nodes.get('load')).toMatchObject({ status: 'completed', invented: [] })
  // Two attempts of a second, ten seconds between them, five minutes of the person.
  expect(endedAt - state.createdAt).toBeGreaterThanOrEqual(312_000)
})

it('[R-94] plans it for the wait for a retry too; a retry that comes first makes it void, and it says so', () => {
  const byHand = { from: 'retrying', outputs: { rows: 1 } } as const
  const early = played([load, use], {
    nodes: { load: { duration: 1000, failure, byHand: { ...byHand, after: '2s' } } },
  })
  expect(early.view.nodes['load']).toMatchObject({ status: 'completed', attempts: 0 })
  expect(early.endedAt - early.state.createdAt).toBe(4000)
  const late = played([load, use], {
    nodes: {
      load: { duration: 1000, failure: { ...failure, attempts: 1 }, byHand: { ...byHand, after: '1m' } },
    },
  })
  expect(late.view).toMatchObject({ status: 'completed', generation: 1 })
  expect(late.refused).toMatchObject([{ path: ['nodes', 'load', 'byHand'], code: 'not_completable' }])
})

it('[R-94] says what is wrong with the outputs that are planned, and takes none for an approval', () => {
  const wrong = played([load, use], {
    nodes: { load: { failure, byHand: { outputs: { row: 1 } } } },
  })
  expect(wrong.view.status).toBe('failed')
  expect(wrong.refused).toMatchObject([{ code: 'invalid_outputs' }])
  const pipeline = compiled({ nodes: [gate('g'), noop('n', 'event:g.approved')] })
  expect(rehearse(pipeline, { nodes: { g: { byHand: {} } } })).toMatchObject({
    ok: false,
    issues: [{ path: ['nodes', 'g'], code: 'no_work' }],
  })
})
