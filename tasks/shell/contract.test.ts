import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Scope } from '@/core/pipeline/expression/expression'
import { compileTemplate, renderTemplate } from '@/core/pipeline/expression/template'
import { validateDefinition } from '@/core/pipeline/check/validate'
import { taskCatalog } from '@/tasks/contracts'
import { shellInput } from './contract'

function issuesOf(inputBindings: object, disabledTasks: ReadonlyMap<string, string> = new Map()) {
  return validateDefinition(
    {
      id: 'p',
      inputs: { word: { type: 'string' }, list: { type: 'array' } },
      nodes: [{ id: 'a', task: 'shell', startWhen: 'event:pipeline.started', inputBindings }],
    },
    { tasks: taskCatalog, maxNodes: 10, disabledTasks },
  ).issues
}

const scopeOf = (value: unknown): Scope => ({
  lookup: (name) => (name === 'a.v' ? { value } : undefined),
  names: () => ['a.v'],
})

describe('the command of a program', () => {
  it('is written out: data cannot name the program or change how many arguments there are', () => {
    expect(issuesOf({ command: ['grep', '--', '{{ pipeline.input.word }}'] })).toEqual([])
    const path = ['nodes', 0, 'inputBindings', 'command']
    expect(issuesOf({ command: '{{ pipeline.input.list }}' })).toMatchObject([{ path, severity: 'error' }])
    expect(issuesOf({ command: ['{{ pipeline.input.word }}', 'a'] })).toMatchObject([
      { path: [...path, 0], code: 'invalid_value', severity: 'error' },
    ])
    expect(issuesOf({ command: ['/bin/{{ pipeline.input.word }}'] })).toMatchObject([{ severity: 'error' }])
  })

  it('has as many words as the definition, whatever the values are, or is refused', () => {
    const compiled = compileTemplate(['tool', 'x {{ a.v }} y', '{{ a.v }}', '--', '{{ a.v }}'])
    if (!compiled.ok) throw new Error('not compiled')
    const { value: template } = compiled
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const rendered = renderTemplate(template, scopeOf(value))
        if (!rendered.ok) return
        const parsed = shellInput.safeParse({ command: rendered.value })
        if (!parsed.success) return
        expect(parsed.data.command).toHaveLength(5)
        expect(parsed.data.command?.every((word) => typeof word === 'string')).toBe(true)
        expect(parsed.data.command?.[0]).toBe('tool')
      }),
      { numRuns: 2_000 },
    )
    const hostile = '"; rm -rf / #\n$(id) -x'
    const rendered = renderTemplate(template, scopeOf(hostile))
    expect(rendered).toMatchObject({ ok: true, value: ['tool', `x ${hostile} y`, hostile, '--', hostile] })
  })

  it('takes a script as it stands, and says that expressions in it are not evaluated', () => {
    expect(issuesOf({ script: 'echo {{ pipeline.input.word }}' })).toMatchObject([
      { code: 'literal_input', severity: 'warning' },
    ])
    expect(issuesOf({ script: "docker ps --format '{{.Names}}'" })).toEqual([])
  })

  it('warns where the task is switched off, and names the setting', () => {
    const off = new Map([['shell', 'PENSTOCK_ALLOW_SHELL']])
    expect(issuesOf({ command: ['true'] }, off)).toMatchObject([
      {
        path: ['nodes', 0, 'task'],
        code: 'task_disabled',
        severity: 'warning',
        hint: expect.stringContaining('PENSTOCK_ALLOW_SHELL'),
      },
    ])
  })
})
