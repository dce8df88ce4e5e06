import { isRecord } from '@/core/pipeline/json'

type Fields = { readonly [name: string]: unknown }

const isText = (value: unknown, pattern: RegExp): boolean => typeof value === 'string' && pattern.test(value)
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length > 0
const someOf = (value: unknown, holds: (each: Fields) => boolean): boolean =>
  (Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : []).some(
    (each) => isRecord(each) && holds(each),
  )

/** Documents of other tools, by the fields that only they have. The first that fits. */
const TOOLS: readonly { readonly name: string; readonly is: (document: Fields) => boolean }[] = [
  { name: 'Argo', is: ({ apiVersion }) => isText(apiVersion, /^argoproj\.io\//) },
  { name: 'Tekton', is: ({ apiVersion }) => isText(apiVersion, /^tekton\.dev\//) },
  { name: 'Kubernetes', is: ({ apiVersion, kind }) => isText(apiVersion, /./) && isText(kind, /^[A-Z]/) },
  {
    name: 'GitHub Actions',
    is: (it) => someOf(it['jobs'], (job) => 'runs-on' in job || ('uses' in job && !('type' in job))),
  },
  { name: 'GitHub Actions', is: ({ runs }) => isRecord(runs) && isText(runs['using'], /./) },
  {
    name: 'Azure Pipelines',
    is: (it) => 'pool' in it && (isList(it['steps']) || isList(it['stages']) || isList(it['jobs'])),
  },
  {
    name: 'CircleCI',
    is: ({ version, jobs, workflows }) => version !== undefined && isRecord(jobs) && isRecord(workflows),
  },
  {
    name: 'GitLab CI',
    is: (it) => someOf(it, (job) => 'script' in job && ('stage' in job || isList(it['stages']))),
  },
  { name: 'dbt', is: ({ metadata }) => isRecord(metadata) && 'dbt_schema_version' in metadata },
  {
    name: 'dbt',
    is: (it) =>
      'profile' in it &&
      ['model-paths', 'source-paths', 'models', 'config-version'].some((field) => field in it),
  },
  {
    name: 'dbt',
    is: ({ version, ...it }) =>
      version === 2 &&
      ['models', 'sources', 'seeds', 'snapshots', 'exposures'].some((field) => isList(it[field])),
  },
  {
    name: 'WfFormat (WfCommons)',
    is: ({ workflow }) =>
      isRecord(workflow) &&
      (isRecord(workflow['specification']) || isList(workflow['tasks']) || isList(workflow['jobs'])),
  },
  {
    name: 'n8n',
    is: ({ nodes, connections }) =>
      isRecord(connections) && someOf(nodes, (node) => 'type' in node && 'parameters' in node),
  },
  { name: 'Step Functions', is: ({ StartAt, States }) => isText(StartAt, /./) && isRecord(States) },
  { name: 'CWL', is: ({ cwlVersion }) => isText(cwlVersion, /./) },
  {
    name: 'Kestra',
    is: ({ namespace, tasks }) =>
      isText(namespace, /./) && someOf(tasks, (task) => isText(task['type'], /\./)),
  },
  { name: 'Docker Compose', is: ({ services }) => someOf(services, (it) => 'image' in it || 'build' in it) },
  {
    name: 'Conductor',
    is: ({ tasks, nodes }) => nodes === undefined && someOf(tasks, (task) => 'taskReferenceName' in task),
  },
]

/**
 * The tool that a document is of, where that is not this one: by fields that no pipeline has; null: a pipeline, or nothing that is
 * known. A document with a node that names a task or a pipeline is a pipeline, whatever else is wrong with it.
 */
export function foreignTool(document: Fields): string | null {
  if (
    someOf(
      document['nodes'],
      (node) => typeof node['task'] === 'string' || typeof node['pipeline'] === 'string',
    )
  )
    return null
  return TOOLS.find(({ is }) => is(document))?.name ?? null
}

/** What to say of such a document, and what to do. */
export const foreignText = (tool: string): string =>
  `this is a document of ${tool}, not a pipeline of this product, and cannot be taken over as it is`

export const foreignHint =
  'write each step as a node: id, task (shell, http.request, duckdb.query …) and startWhen with the events it waits for'
