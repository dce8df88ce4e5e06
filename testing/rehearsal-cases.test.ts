import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pipelineDefinitionSchema } from '@/core/pipeline/definition'
import { parseYaml } from '@/core/pipeline/yaml'
import { readRehearsalCases, runRehearsalCase } from '@/core/rehearsal/case'
import { compiled } from './engine-run'

const examples = join(import.meta.dirname, '../examples')

function read(...path: string[]): unknown {
  const parsed = parseYaml(readFileSync(join(examples, ...path), 'utf8'))
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error))
  return parsed.value
}

const all = readdirSync(join(examples, 'rehearsals')).flatMap((file) => {
  const cases = readRehearsalCases(read('rehearsals', file))
  if (!cases.ok) throw new Error(`${file}: ${JSON.stringify(cases.error)}`)
  return cases.value.cases.map((one) => ({ pipeline: cases.value.pipeline, name: one.name, one }))
})

describe('cases that lie beside the examples', () => {
  it.each(all)('$pipeline: $name', ({ pipeline, one }) => {
    const definition = pipelineDefinitionSchema.parse(read(`${pipeline}.yaml`))
    const result = runRehearsalCase(compiled(definition), one)
    if (!result.ok) throw new Error(JSON.stringify(result.issues))
    expect(result.differences.map(({ message }) => message)).toEqual([])
    // What comes after the end is refused, as it should be.
    expect(result.rehearsal.refused.filter(({ code }) => code !== 'execution_finished')).toEqual([])
  })
})
