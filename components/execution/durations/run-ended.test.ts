import { expect, it } from 'vitest'
import { mayReportEnd } from './run-ended'

const run = (pipeline_id: string, status: string) => ({ execution_id: 'e', pipeline_id, status })

it('hears that a run of the pipeline has ended, and not what else goes on', () => {
  const told = (...executions: object[]) => mayReportEnd({ executions, more: false }, 'mine')
  expect(told(run('other', 'failed'), run('mine', 'running'))).toBe(false)
  for (const status of ['completed', 'failed', 'cancelled', 'rolled_back'])
    expect(told(run('mine', 'running'), run('mine', status))).toBe(true)
})

it('takes a message that does not name every run for one that may tell it, and no other', () => {
  expect(mayReportEnd({ executions: [], more: true }, 'mine')).toBe(true)
  for (const other of [
    null,
    'x',
    {},
    { executions: 1 },
    { executions: [null] },
    { approvals: { pending: 1 } },
  ])
    expect(mayReportEnd(other, 'mine')).toBe(false)
})
