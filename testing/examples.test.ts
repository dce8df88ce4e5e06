import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '@/core/engine/event'
import { compilePipeline, type CompiledNode, type CompiledPipeline } from '@/core/pipeline/definition/compile'
import { pipelineDefinitionSchema } from '@/core/pipeline/definition/definition'
import type { Scope } from '@/core/pipeline/expression/expression'
import { resolveInputs } from '@/core/pipeline/definition/inputs'
import { renderTemplate } from '@/core/pipeline/expression/template'
import { validateDefinition } from '@/core/pipeline/check/validate'
import { parseYaml } from '@/core/pipeline/yaml/yaml'
import { taskCatalog } from '@/tasks/contracts'
import { createRunnerFixture, errorOf, outputsOf, type RunnerFixture } from './runner-fixture'

const folder = fileURLToPath(new URL('../examples/', import.meta.url))
const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'))

function read(name: string): unknown {
  const parsed = parseYaml(readFileSync(join(folder, name), 'utf8'))
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error))
  return parsed.value
}

function compile(name: string): CompiledPipeline {
  const definition = pipelineDefinitionSchema.parse(read(name))
  const compiled = compilePipeline(definition, { revision: 1, tasks: taskCatalog })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues))
  return compiled.pipeline
}

/** The work of a pipeline without its engine: real bindings, real tasks, node after node as the test says. */
function workOf(pipeline: CompiledPipeline, at: RunnerFixture, given: JsonObject = {}) {
  const inputs = resolveInputs(pipeline.definition.inputs ?? {}, given)
  if (!inputs.ok) throw new Error(JSON.stringify(inputs.issues))
  const variables = new Map<string, unknown>()
  for (const [name, value] of Object.entries(inputs.values)) variables.set(`pipeline.input.${name}`, value)
  const scope = (locals?: Record<string, unknown>): Scope => ({
    lookup: (name) => (variables.has(name) ? { value: variables.get(name) } : undefined),
    names: () => variables.keys(),
    ...(locals === undefined ? {} : { locals }),
  })
  const value = (template: CompiledNode['bindings'], locals?: Record<string, unknown>) => {
    const rendered = renderTemplate(template, scope(locals))
    if (!rendered.ok) throw new Error(rendered.error.message)
    return rendered.value
  }
  const nodeOf = (id: string): CompiledNode => {
    const node = pipeline.nodes.get(id)
    if (node === undefined) throw new Error(`no node ${id}`)
    return node
  }
  const input = (id: string) => {
    const node = nodeOf(id)
    return node.contract.input.parse(value(node.bindings)) as JsonObject
  }
  const attempt = (id: string) => at.run(nodeOf(id).task, input(id), { nodeId: id })
  const publish = (id: string, result: JsonObject) => {
    const declared = nodeOf(id).outputVariables
    const made =
      declared === null
        ? Object.entries(result)
        : [...declared].map(([name, template]) => [name, value(template, { result })] as const)
    for (const [name, made_] of made) variables.set(`${id}.${name}`, made_)
  }
  return {
    input,
    attempt,
    publish,
    run: async (...ids: string[]) => {
      for (const id of ids) publish(id, outputsOf(await attempt(id)))
    },
    variable: (name: string) => variables.get(name) as Json,
    outputs: () =>
      Object.fromEntries(
        [...pipeline.outputs]
          .filter(([, { template }]) => renderTemplate(template, scope()).ok)
          .map(([name, { template }]) => [name, value(template) as Json]),
      ),
  }
}

let at: RunnerFixture
beforeAll(async () => {
  at = await createRunnerFixture()
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
})

describe('examples', () => {
  it.each(names)('%s is valid without a warning', (name) => {
    const validation = validateDefinition(read(name), { tasks: taskCatalog, maxNodes: 500 })
    expect(validation.issues).toEqual([])
    expect(name).toBe(`${(read(name) as { id: string }).id}.yaml`)
  })

  it('names files that are there after the install', () => {
    const files = JSON.parse(readFileSync(join(folder, 'files.json'), 'utf8')) as Record<string, string>
    for (const file of Object.values(files)) expect(statSync(file).size).toBeGreaterThan(0)
  })

  it('seattle_weather makes a report of 1,461 days, 641 of them rain', async () => {
    const work = workOf(compile('seattle_weather.yaml'), at, {
      title: '<script>alert("rain & wind")</script>',
    })
    await work.run('read', 'validate', 'monthly', 'chart')
    expect(work.input('approval')['message']).toContain('1461 days, 641 of them with rain (43.9 %)')
    work.publish('approval', {
      decision: 'approved',
      approver: 'ada <lovelace>',
      comment: '',
      form: {},
      decided_at: '',
    })
    await work.run('compose', 'publish')
    const outputs = work.outputs()
    expect(outputs).toMatchObject({
      days: 1461,
      rain_days: 641,
      report: { name: 'report.html', content_type: 'text/html' },
      table: { name: 'result.csv' },
    })
    const html = await at.textOf(outputs['report'])
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(html).toContain('<h1>&lt;script&gt;alert(&quot;rain &amp; wind&quot;)&lt;/script&gt;</h1>')
    expect(html).toContain('Approved by ada &lt;lovelace&gt;.')
    expect(html).not.toMatch(/<script|<link|src=|@import/)
    expect(html.match(/<svg /g)).toHaveLength(1)
    expect(html).toContain('<tr><td>Jan</td><td>124</td><td>61</td>')
    expect((await at.textOf(outputs['table'])).trim().split('\n')).toHaveLength(13)
  })

  it('seattle_weather refuses a file that makes no sense', async () => {
    const work = workOf(compile('seattle_weather.yaml'), at)
    await work.run('read')
    work.publish('read', {
      rows: [{ ...(work.variable('read.facts') as JsonObject), different_days: 1460, impossible: 2 }],
    })
    const error = errorOf(await work.attempt('validate'))
    expect(error).toMatchObject({
      kind: 'task_failed',
      message: 'a day stands twice; 2 days have impossible values (line 7)',
    })
  })

  it('flights counts 3,000,000 flights and finds when they are late', async () => {
    const work = workOf(compile('flights.yaml'), at)
    await work.run('count', 'by_hour', 'by_airport', 'chart', 'judge')
    const outputs = work.outputs()
    expect(outputs).toMatchObject({ flights: 3_000_000, chart: { name: 'chart.svg' } })
    expect(outputs['worst_hour']).toBe(0)
    expect(outputs['airports']).toHaveLength(10)
    expect(work.variable('by_hour.row_count')).toBe(24)
  })

  it('data_ready publishes the new data, or keeps the previous when they are not what was expected', async () => {
    const good = workOf(compile('data_ready.yaml'), at)
    await good.run('announce', 'load', 'check', 'publish')
    const summary = JSON.parse(await at.textOf(good.outputs()['fresh'])) as unknown
    expect(summary).toEqual({ source: 'fresh', days: 1461, last_day: '2015-12-31' })
    const bad = workOf(compile('data_ready.yaml'), at, { expected_days: 2000 })
    await bad.run('load')
    expect(errorOf(await bad.attempt('check')).message).toContain('1461 days where 2000 were expected')
    await bad.run('use_previous', 'clean_up')
    expect(bad.outputs()).toMatchObject({ previous: { name: 'summary.json' } })
  })
})
