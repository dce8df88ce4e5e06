import { describe, expect, it } from 'vitest'
import { EngineRun } from '@/testing/engine-run'

const chainOf = (length: number) =>
  Array.from({ length }, (_, index) => ({
    id: `n${index}`,
    task: 'set',
    startWhen: index === 0 ? 'event:pipeline.started' : `event:n${index - 1}.completed`,
    inputBindings: { value: index === 0 ? 1 : `{{ n${index - 1}.value + 1 }}` },
  }))

const definition = (nodes: ConstructorParameters<typeof EngineRun>[0]['nodes']) => ({
  schemaVersion: 1 as const,
  id: 'p',
  name: 'p',
  nodes,
})

describe('attempts that only compute', () => {
  it('[R-91] are done in the step that begins them, down to the end of the run', () => {
    const run = new EngineRun(definition(chainOf(40)), { mostComputed: 40 })
    expect(run.state.lifecycle).toBe('COMMIT')
    expect(run.state.variables.get('n39.value')?.value).toBe(40)
    expect([...run.state.inFlight]).toEqual([])
  })

  it('[R-91] are wanted from a worker where the step may compute no more', () => {
    const run = new EngineRun(definition(chainOf(3)), { mostComputed: 2 })
    expect(run.node('n1').status).toBe('completed')
    expect(run.attempt('n2').token).toBe(1)
    run.complete('n2', { value: 3 })
    expect(run.state.lifecycle).toBe('COMMIT')
  })

  it('[R-91] say the same with a worker and without: every event in its order, with its values', () => {
    const alone = new EngineRun(definition(chainOf(5)), { mostComputed: 5 })
    const worked = new EngineRun(definition(chainOf(5)))
    for (let index = 0; index < 5; index++) worked.complete(`n${index}`, { value: index + 1 })
    expect(alone.entries).toEqual(worked.entries)
  })

  it('[R-8] fail as with a worker, and are tried again later, not at once', () => {
    const nodes = [
      {
        id: 'a',
        task: 'fail',
        startWhen: 'event:pipeline.started',
        inputBindings: { message: 'no' },
        retry: { maxAttempts: 2, delay: '10s' },
      },
    ]
    const run = new EngineRun(definition(nodes), { mostComputed: 10 })
    expect(run.node('a').status).toBe('retrying')
    run.now += 60_000
    run.take({ type: 'tick' })
    expect(run.node('a')).toMatchObject({ status: 'failed', error: { message: 'no' } })
  })
})
