import { describe, expect, it } from 'vitest'
import { runTask } from '@/testing/run-task'
import { run } from './run'

describe('log', () => {
  it('writes one line with its level, to stderr when it is an error', async () => {
    const { outputs, lines } = await runTask(run, { message: 'hello', level: 'warn' })
    expect(outputs).toEqual({})
    expect(lines).toEqual(['log warn: hello'])
    expect((await runTask(run, { message: 'no', level: 'error' })).lines).toEqual(['stderr error: no'])
  })

  it('writes what is no text as JSON', async () => {
    expect((await runTask(run, { message: { a: [1] } })).lines).toEqual(['log {"a":[1]}'])
  })
})
