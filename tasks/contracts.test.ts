import { describe, expect, it } from 'vitest'
import { compileTemplate, issuesOfTemplated, templateExpressions } from '@/core/pipeline/expression/template'
import { validateDefinition } from '@/core/pipeline/check/validate'
import { taskCatalog } from './contracts'

describe('every task contract', () => {
  it.each([...taskCatalog.values()])('$type is complete and its example is valid', (contract) => {
    expect(taskCatalog.get(contract.type)).toBe(contract)
    expect(contract.title).not.toBe('')
    expect(contract.description).toMatch(/\.$/)
    expect(issuesOfTemplated(contract.input, contract.example)).toEqual([])
    expect(contract.input.safeParse(undefined).success).toBe(false)
    expect(contract.input.safeParse([]).success).toBe(false)
  })

  it.each([...taskCatalog.values()])('$type has defaults that its inputs take', (contract) => {
    const defaults = contract.defaults ?? {}
    const wrong = issuesOfTemplated(contract.input, defaults).map(({ path }) => String(path[0]))
    expect(wrong.filter((name) => Object.hasOwn(defaults, name))).toEqual([])
  })

  it.each([...taskCatalog.values()])('$type can be dropped into a pipeline with its example', (contract) => {
    const template = compileTemplate(contract.example)
    const reads = template.ok ? templateExpressions(template.value).flatMap(({ reads }) => reads) : []
    const inputs = reads.filter(({ root }) => root === 'pipeline.input').map(({ variable }) => variable)
    const result = validateDefinition(
      {
        id: 'p',
        inputs: Object.fromEntries(inputs.map((name) => [name, { type: 'number' }])),
        nodes: [
          {
            id: 'a',
            task: contract.type,
            inputBindings: contract.example,
            startWhen: 'event:pipeline.started',
          },
        ],
      },
      { tasks: taskCatalog, maxNodes: 10 },
    )
    expect(result.issues).toEqual([])
  })

  it('what the engine does itself holds no slot', () => {
    for (const { placement, demands } of taskCatalog.values())
      if (placement === 'engine') expect(demands).toEqual([])
  })

  it('messages take numbers and print them', () => {
    expect(taskCatalog.get('fail')?.input.parse({ message: 3 })).toEqual({ message: '3' })
  })

  it.each(['/etc/passwd', '../x', 'a/../../x', 'a\\b', 'c:x', 'a//b', './a', 'a\u0000b', ''])(
    'file.write refuses %j',
    (path) => {
      expect(taskCatalog.get('file.write')?.input.safeParse({ path, content: 'x' }).success).toBe(false)
    },
  )
})
