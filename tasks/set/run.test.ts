import { describe, expect, it } from 'vitest'
import { runTask } from '@/testing/run-task'
import { run } from './run'

describe('set', () => {
  it('gives back what it was given, also what looks like a file', async () => {
    const input = { a: 1, b: { $file: '/etc/passwd' } }
    expect((await runTask(run, input)).outputs).toEqual(input)
  })
})
