// The example that journeys author anew, and what must come of it whichever way they take.
import { readFileSync } from 'node:fs'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import { parseYaml } from '@/core/pipeline/yaml/yaml'
import type { Rest } from './fixture'

export const EXAMPLE = readFileSync('examples/seattle_weather.yaml', 'utf8')

/** What the example says under another id, without places and without cases. */
export function wanted(id: string): PipelineDefinition {
  const read = parseYaml(EXAMPLE)
  if (!read.ok) throw new Error('the example cannot be read')
  const { layout: _, rehearsals: _cases, ...definition } = read.value as PipelineDefinition
  return { ...definition, id }
}

/** What was published, without places. */
export async function exported(rest: Rest, id: string): Promise<unknown> {
  const { body } = await rest.call('GET', `/pipelines/${id}`)
  const { layout: _, ...definition } = (body as { definition: PipelineDefinition }).definition
  return definition
}
