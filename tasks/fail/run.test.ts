import { describe, expect, it } from 'vitest'
import { runTask } from '@/testing/run-task'
import { run } from './run'

describe('fail', () => {
  it('fails with its message and its kind, task_failed without one', async () => {
    await expect(runTask(run, { message: 'no', kind: 'too_wet' })).rejects.toMatchObject({
      kind: 'too_wet',
      message: 'no',
    })
    await expect(runTask(run, { message: 'no' })).rejects.toMatchObject({ kind: 'task_failed' })
  })

  it('refuses a kind that is no word', async () => {
    await expect(runTask(run, { message: 'no', kind: 'Too wet' })).rejects.toMatchObject({
      kind: 'invalid_input',
    })
  })
})
