import { describe, expect, it } from 'vitest'
import { parseYaml } from '@/core/pipeline/yaml/yaml'
import { taskCatalog } from '@/tasks/contracts'
import { validateDefinition } from './validate'
import { foreignTool } from './foreign'

const documents: readonly (readonly [tool: string, yaml: string])[] = [
  [
    'Argo',
    'apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: { generateName: hello- }\nspec: { entrypoint: main, templates: [] }',
  ],
  ['Argo', 'apiVersion: argoproj.io/v1alpha1\nkind: CronWorkflow\nspec: { schedule: "* * * * *" }'],
  ['Tekton', 'apiVersion: tekton.dev/v1\nkind: Pipeline\nspec: { tasks: [] }'],
  ['Kubernetes', 'apiVersion: batch/v1\nkind: CronJob\nspec: {}'],
  [
    'GitHub Actions',
    'name: CI\non: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: npm test',
  ],
  ['GitHub Actions', 'on: workflow_call\njobs:\n  all:\n    uses: ./.github/workflows/other.yml'],
  ['GitHub Actions', 'name: Greet\ninputs: {}\nruns: { using: composite, steps: [] }'],
  ['GitLab CI', 'stages: [build]\ncompile:\n  stage: build\n  script: [make]'],
  [
    'CircleCI',
    'version: 2.1\njobs: { build: { docker: [], steps: [] } }\nworkflows: { all: { jobs: [build] } }',
  ],
  ['Azure Pipelines', 'trigger: [main]\npool: { vmImage: ubuntu-latest }\nsteps: [{ script: make }]'],
  [
    'dbt',
    'name: jaffle_shop\nconfig-version: 2\nversion: "0.1"\nprofile: jaffle_shop\nmodel-paths: [models]',
  ],
  ['dbt', 'version: 2\nmodels:\n  - name: customers\n    columns: []'],
  ['dbt', '{"metadata": {"dbt_schema_version": "https://schemas/manifest/v12.json"}, "nodes": {}}'],
  [
    'WfFormat (WfCommons)',
    '{"name": "blast", "schemaVersion": "1.5", "workflow": {"specification": {"tasks": [{"name": "split"}], "files": []}}}',
  ],
  [
    'WfFormat (WfCommons)',
    '{"name": "old", "schemaVersion": "1.2", "workflow": {"tasks": [{"name": "a", "type": "compute"}]}}',
  ],
  ['n8n', '{"name": "x", "nodes": [{"type": "n8n-nodes-base.set", "parameters": {}}], "connections": {}}'],
  ['Step Functions', '{"StartAt": "A", "States": {"A": {"Type": "Pass", "End": true}}}'],
  ['CWL', 'cwlVersion: v1.2\nclass: Workflow\nsteps: {}'],
  [
    'Kestra',
    'id: hello\nnamespace: company.team\ntasks:\n  - id: log\n    type: io.kestra.plugin.core.log.Log',
  ],
  ['Docker Compose', 'services:\n  web: { image: nginx }'],
]

const read = (yaml: string): { readonly [name: string]: unknown } => {
  const parsed = parseYaml(yaml)
  if (!parsed.ok) throw new Error(parsed.error[0]?.message)
  return parsed.value as { readonly [name: string]: unknown }
}

describe('a document of another tool', () => {
  it.each(documents)('of %s is recognised, and is the one thing that is said of it', (tool, yaml) => {
    const document = read(yaml)
    expect(foreignTool(document)).toBe(tool)
    const { valid, issues } = validateDefinition(document, { tasks: taskCatalog, maxNodes: 100 })
    expect(valid).toBe(false)
    expect(issues.map(({ code }) => code)).toEqual(['foreign_document'])
    expect(issues[0]?.message).toContain(tool)
  })

  it('is none where a node names a task, whatever else is wrong', () => {
    const pipelines = [
      'id: a\nnodes:\n  - { id: x, task: noop, runs-on: y }\njobs: { b: { runs-on: z } }',
      'id: a\nnodes: []',
      'name: draft',
      'id: a\nversion: 2\nnodes: [{ id: x, pipeline: other }]\nmodels: [a]',
      'id: services\nservices: none',
    ]
    for (const yaml of pipelines) expect(foreignTool(read(yaml)), yaml).toBeNull()
  })
})
