import { expect, it } from 'vitest'
import { mayReportEnd } from './run-ended'

const run = (pipeline_id: string, status: string) => ({ execution_id: 'e', pipeline_id, status })

it('recognises that a run of the pipeline ended, and ignores everything else', () => {
  const reports = (...executions: object[]) => mayReportEnd({ executions, more: false }, 'mine')
  expect(reports(run('other', 'failed'), run('mine', 'running'))).toBe(false)
  for (const status of ['completed', 'failed', 'cancelled', 'rolled_back'])
    expect(reports(run('mine', 'running'), run('mine', status))).toBe(true)
})

it('a message that does not name every run may report it', () => {
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
