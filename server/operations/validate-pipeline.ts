import { z } from 'zod'
import type { DefinitionGraph } from '@/core/pipeline/definition/definition-graph'
import { checkedDocument, poolIssues } from './definition-document'
import { missingReferences } from './missing-references'
import { operation } from './operation'
import { definitionFields } from './request-fields'
import { wireFinding } from './wire-finding'
import { exampleDefinition, finding } from './schemas/definition'

/**
 * Everything that is wrong with a definition, what can be proven of its start conditions, what it names that is not there, as saving
 * it would give, and its graph when there is one. Stores, runs and fetches nothing.
 */
export const validatePipeline = operation({
  // A command only because a definition does not fit into an address: it changes nothing.
  kind: 'command',
  summary: 'Check a definition without storing it',
  right: 'read',
  rest: { method: 'POST', path: '/pipelines/validate' },
  request: z.strictObject(definitionFields),
  answer: z.strictObject({
    valid: z.boolean(),
    issues: z.array(finding),
    graph: z
      .strictObject({
        nodes: z.array(z.string()),
        edges: z.array(
          z.strictObject({
            from: z.string(),
            to: z.string(),
            kind: z.enum(['event', 'variable']),
            label: z.string(),
          }),
        ),
        levels: z.array(z.array(z.string())),
        critical_path: z.array(z.string()),
        duration_ms: z.number(),
      })
      .nullable(),
  }),
  example: {
    request: { definition: exampleDefinition },
    answer: {
      valid: true,
      issues: [],
      graph: {
        nodes: ['extract'],
        edges: [],
        levels: [['extract']],
        critical_path: ['extract'],
        duration_ms: 1000,
      },
    },
  },
  run: async (ctx, _caller, document) => {
    const read = await checkedDocument(ctx, document)
    if (!read.ok) return { valid: false, issues: read.issues, graph: null }
    const { valid, findings, graph, definition } = read.verdict
    const short = definition ? poolIssues(ctx, definition) : []
    const absent = definition ? await missingReferences(ctx, definition) : []
    const issues = [...findings.map(wireFinding), ...short, ...absent]
    return { valid: valid && short.length === 0, issues, graph: graph ? wireGraph(graph) : null }
  },
})

function wireGraph({ nodes, edges, levels, criticalPath, durationMs }: DefinitionGraph) {
  return { nodes, edges, levels, critical_path: criticalPath, duration_ms: durationMs }
}
