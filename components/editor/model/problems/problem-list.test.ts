import { describe, expect, it } from 'vitest'
import type { Definition } from '@/components/editor/model/draft/draft'
import { checkDefinition } from '@/core/pipeline/check/check'
import { taskCatalog } from '@/tasks/contracts'
import { S, node, pipeline } from '@/testing/definitions'
import { isToDo, withFix, problemsOf, summaryOf } from './problem-list'

function problems(definition: Definition) {
  const { findings } = checkDefinition(definition, { tasks: taskCatalog, maxNodes: 100 })
  return problemsOf({ findings, of: definition, trouble: null }, [])
}

describe('problems', () => {
  it('name their node and their place', () => {
    const definition = pipeline([node('a'), node('b', 'event:a.complete')], {
      inputs: { x: { type: 'strin' } },
    })
    expect(problems(definition)).toMatchObject([
      { where: 'inputs · x · type', node: null, nodes: [], fix: { value: 'string' } },
      { where: 'b · startWhen', node: 'b', nodes: ['b'], fix: { value: 'event:a.completed' } },
    ])
  })

  it('of a cycle name all its nodes', () => {
    const [cycle] = problems(
      pipeline([node('s'), node('a', 'event:b.completed'), node('b', `event:a.completed || ${S}`)]),
    )
    expect(cycle).toMatchObject({ node: 'a', nodes: ['a', 'b'], severity: 'error' })
  })

  it('have names of their own, which stay while other problems come and go', () => {
    const gates = 'event:a.x && event:a.y'
    const two = problems(pipeline([node('a'), node('b', gates)]))
    expect(new Set(two.map(({ key }) => key)).size).toBe(2)
    const more = problems(pipeline([node('a', 'event:a.x'), node('b', gates)]))
    expect(more.map(({ key }) => key)).toEqual(expect.arrayContaining(two.map(({ key }) => key)))
  })

  it('are those of the text while it cannot be read', () => {
    const [problem] = problemsOf({ findings: [], of: null, trouble: null }, [{ message: 'no', line: 3 }])
    expect(problem).toMatchObject({ where: 'line 3', text: 'no', severity: 'error', node: null })
  })

  it('say at once that the code has the id of another pipeline, and offer the right one', () => {
    const definition = pipeline([node('a')]) as Definition
    const checks = { findings: [], of: definition, trouble: null }
    const id = String(definition['id'])
    expect(problemsOf(checks, [], { pipelineId: id })).toEqual([])
    const [problem] = problemsOf(checks, [], { pipelineId: 'my_first' })
    expect(problem).toMatchObject({
      severity: 'error',
      where: 'id',
      path: ['id'],
      fix: { value: 'my_first' },
    })
    expect(problem?.text).toContain(`“id: ${id}”`)
    expect(problem?.text).toContain('my_first')
    expect(withFix(definition, definition, problem!.fix!)).toMatchObject({ id: 'my_first' })
  })

  it('include what the definition names and the server does not have', () => {
    const message = "there is no secret 'x' yet"
    const absent = {
      path: ['triggers', 0, 'secret'],
      code: 'unknown_secret',
      message,
      severity: 'warning' as const,
      counterExample: [],
    }
    const checks = { findings: [], of: pipeline([node('a')]), trouble: null }
    expect(problemsOf(checks, [], { absent: [absent] })).toMatchObject([
      { where: 'trigger 1 · secret', text: message, severity: 'warning' },
    ])
    const of = pipeline([node('a')], { triggers: [{ id: 'hook' }] })
    expect(problemsOf({ ...checks, of }, [], { absent: [absent] })[0]?.where).toBe('trigger hook · secret')
  })

  it('of a node that was just added are to be done, as far as nothing was written yet', () => {
    const written = { ...node('a'), task: 'log', inputBindings: { message: '{{ b.x }}' } }
    const found = problems(pipeline([written, { ...node('b'), task: 'log', inputBindings: {} }]))
    const toDo = (fresh: string | null) => found.filter((one) => isToDo(one, fresh)).map(({ where }) => where)
    expect(toDo('b')).toEqual(['b · message'])
    expect(toDo('a')).toEqual([])
    expect(toDo(null)).toEqual([])
  })

  it('are counted in words', () => {
    expect(summaryOf([])).toBe('')
    const definition = pipeline([node('a'), node('b', 'event:a.x && event:a.y')], {
      inputs: { x: { type: 'number' } },
    })
    expect(summaryOf(problems(definition))).toBe('2 errors')
  })
})

describe('mending', () => {
  const found = pipeline([node('a'), node('b', 'event:a.complete')]) as Definition
  const fix = { path: ['nodes', 1, 'startWhen'], value: 'event:a.completed' }

  it('finds the node where it stands now', () => {
    const now = pipeline([node('x'), node('b', 'event:a.complete'), node('a')].toReversed()) as Definition
    expect(withFix(now, found, fix)).toMatchObject({ nodes: [{}, { startWhen: 'event:a.completed' }, {}] })
  })

  it('leaves alone what was changed meanwhile, and what is gone', () => {
    for (const now of [pipeline([node('a'), node('b', 'event:a.failed')]), pipeline([node('a')])])
      expect(withFix(now, found, fix)).toBe(now)
  })
})
