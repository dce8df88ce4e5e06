import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pipelineDefinitionSchema } from '@/core/pipeline/definition/definition'
import { parseYaml } from '@/core/pipeline/yaml/yaml'
import { readRehearsalCase, runRehearsalCase } from '@/core/rehearsal/case'
import { compiled } from './engine-run'

const examples = join(import.meta.dirname, '../examples')

const all = readdirSync(examples).flatMap((file) => {
  if (!file.endsWith('.yaml')) return []
  const parsed = parseYaml(readFileSync(join(examples, file), 'utf8'))
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error))
  const definition = pipelineDefinitionSchema.parse(parsed.value)
  return (definition.rehearsals ?? []).map((value) => ({ definition, name: value.name, value }))
})

describe('cases of the examples', () => {
  it('are there', () => {
    expect(new Set(all.map(({ definition }) => definition.id)).size).toBeGreaterThan(1)
  })

  it.each(all)('$definition.id: $name', ({ definition, value }) => {
    const read = readRehearsalCase(value)
    if (!read.ok) throw new Error(JSON.stringify(read.error))
    const result = runRehearsalCase(compiled(definition), read.value)
    if (!result.ok) throw new Error(JSON.stringify(result.issues))
    expect(result.differences.map(({ message }) => message)).toEqual([])
    // What comes after the end is refused, as it should be.
    expect(result.rehearsal.refused.filter(({ code }) => code !== 'execution_finished')).toEqual([])
  })
})
