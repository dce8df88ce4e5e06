import { describe, expect, it } from 'vitest'
import { runTask } from '@/testing/run-task'
import { run } from './run'

describe('noop', () => {
  it('makes nothing', async () => {
    expect((await runTask(run, {})).outputs).toEqual({})
  })
})
