import { describe, expect, it } from 'vitest'
import { compiled, noop } from '@/testing/engine-run'
import { enter, LIFECYCLE_TRANSITIONS } from './lifecycle'
import { emptyState } from './state'
import type { Lifecycle } from './view/view'

const STATES = Object.keys(LIFECYCLE_TRANSITIONS) as Lifecycle[]

describe('the lifecycle', () => {
  it('[H-12][R-63] has these transitions, and refuses every other', () => {
    const empty = emptyState('x1', compiled({ nodes: [noop('a')] }))
    for (const from of STATES)
      for (const to of STATES) {
        const state = { ...empty, lifecycle: from }
        if (LIFECYCLE_TRANSITIONS[from].includes(to)) enter(state, to)
        else expect(() => enter(state, to), `${from} to ${to}`).toThrow('cannot become')
        expect(state.lifecycle).toBe(LIFECYCLE_TRANSITIONS[from].includes(to) ? to : from)
      }
    for (const from of ['COMMIT', 'FAILED'] as const)
      expect(LIFECYCLE_TRANSITIONS[from]).toEqual(['PENDING', 'ROLLBACK'])
  })
})
