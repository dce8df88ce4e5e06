import { describe, expect, it } from 'vitest'
import type { ExecutionSummary } from '@/components/api'
import { BULK_ACTIONS, bulkOffers, capital, runsText } from './bulk-actions'

const run = (execution_id: string, status: ExecutionSummary['status'], finished_at: string | null) =>
  ({ execution_id, status, finished_at }) as ExecutionSummary
const at = '2026-03-01T12:00:00.000Z'

describe('actions for several runs', () => {
  it('are offered for the runs that they fit', () => {
    const runs = [
      ...[run('a', 'running', null), run('b', 'failed', at), run('c', 'completed', at)],
      run('d', 'paused', null),
    ]
    expect(bulkOffers(runs)).toEqual([
      { action: 'pause', ids: ['a'] },
      { action: 'resume', ids: ['d'] },
      { action: 'rerun', ids: ['b'] },
      { action: 'again', ids: ['b', 'c'] },
      { action: 'cancel', ids: ['a', 'd'] },
    ])
    expect(bulkOffers([])).toEqual([])
  })

  it('speak of one run and of several', () => {
    expect(BULK_ACTIONS.cancel.title(1)).toBe('Cancel one run?')
    expect(BULK_ACTIONS.cancel.title(3)).toBe('Cancel 3 runs?')
    expect(capital(runsText(1))).toBe('One run')
    expect(capital(runsText(12))).toBe('12 runs')
  })
})
