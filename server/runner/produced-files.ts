import { isAbsolute, relative, sep } from 'node:path'
import type { Json, JsonObject } from '@/core/engine/event'
import type { AttemptFiles } from '@/server/ports/runner'
import { isContentType } from '@/tasks/support/content-type'
import type { TaskOutputs } from '@/tasks/support/outputs'
import { checkRelativePath } from '@/tasks/support/relative-path'
import { TaskFailure } from '@/tasks/support/task-failure'
import { confinedFile } from './stage-files'

type ProducedPlan = {
  readonly executionId: string
  readonly nodeId: string
  readonly workDir: string
  /** The outputs in which the task may return a file. In any other a value of that shape is just a value. */
  readonly outputs: readonly string[]
  readonly artifacts: AttemptFiles
}

/**
 * Puts the files that a task returned, alone or in a list, into the store and replaces each by `{ artifact_id, name, content_type, bytes }`.
 * A file must lie in the attempt's folder, as itself and not through a link.
 */
export async function takeProducedFiles(outputs: TaskOutputs, plan: ProducedPlan): Promise<JsonObject> {
  const taken = new Map<string, Json>()
  for (const [name, value] of Object.entries(outputs)) {
    if (!plan.outputs.includes(name)) taken.set(name, value as Json)
    else if (!Array.isArray(value)) taken.set(name, await takeOne(name, value as Json, plan))
    else {
      const list: Json[] = []
      for (const member of value as readonly Json[]) list.push(await takeOne(name, member, plan))
      taken.set(name, list)
    }
  }
  return Object.fromEntries(taken)
}

function takeOne(output: string, value: Json, plan: ProducedPlan): Json | Promise<Json> {
  const isFile = typeof value === 'object' && value !== null && '$file' in value
  return isFile ? take(output, value as JsonObject, plan) : value
}

async function take(output: string, value: JsonObject, plan: ProducedPlan): Promise<Json> {
  const { $file: path, name, contentType } = value
  if (
    typeof path !== 'string' ||
    !isAbsolute(path) ||
    typeof contentType !== 'string' ||
    !isContentType(contentType)
  ) {
    throw new TaskFailure('internal', `output ${output} is not a file of this attempt`)
  }
  const below = relative(plan.workDir, path).split(sep).join('/')
  const { file } = await confinedFile(plan.workDir, below, `output ${output}`)
  const row = await plan.artifacts.putFile({
    executionId: plan.executionId,
    nodeId: plan.nodeId,
    name: checkRelativePath(name, `output ${output}`),
    contentType,
    path: file,
  })
  return { artifact_id: row.artifactId, name: row.name, content_type: row.contentType, bytes: row.bytes }
}
