import { z } from 'zod'
import type { DefinitionGraph } from '@/core/pipeline/definition/definition-graph'
import { checkDefinition } from '@/core/pipeline/check/check'
import { readDefinition } from './definition-document'
import { missingReferences } from './missing-references'
import { operation } from './operation'
import { definitionFields } from './request-fields'
import { wireFinding } from './wire-finding'

/**
 * Everything that is wrong with a definition, what can be proven of its start conditions, what it names that is not there, as saving
 * it would tell, and its graph when there is one. Stores, runs and fetches nothing.
 */
export const validatePipeline = operation({
  right: 'read',
  request: z.strictObject(definitionFields),
  run: async (ctx, _caller, document) => {
    const read = readDefinition(document)
    if (!read.ok) return { valid: false, issues: read.issues, graph: null }
    const { valid, findings, graph, definition } = checkDefinition(read.value, ctx)
    const absent = definition ? await missingReferences(ctx, definition) : []
    const issues = [...findings.map(wireFinding), ...absent]
    return { valid, issues, graph: graph ? wireGraph(graph) : null }
  },
})

function wireGraph({ nodes, edges, levels, criticalPath, durationMs }: DefinitionGraph) {
  return { nodes, edges, levels, critical_path: criticalPath, duration_ms: durationMs }
}
