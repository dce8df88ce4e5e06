import { isAbsolute, relative, sep } from 'node:path'
import type { Json, JsonObject } from '@/core/engine/event'
import type { ArtifactStore } from '@/server/ports/artifacts'
import { isContentType } from '@/server/tasks/content-type'
import type { TaskOutputs } from '@/server/tasks/outputs'
import { checkRelativePath } from '@/server/tasks/relative-path'
import { TaskFailure } from '@/server/tasks/task-failure'
import { confinedFile } from './stage-files'

type ProducedPlan = {
  readonly executionId: string
  readonly nodeId: string
  readonly workDir: string
  /** The outputs in which the task may return a file. In any other a value of that shape is just a value. */
  readonly outputs: readonly string[]
  readonly artifacts: ArtifactStore
}

/**
 * Puts the files that a task returned into the store and replaces each by `{ artifact_id, name, content_type, bytes }`.
 * A file must lie in the attempt's folder, as itself and not through a link.
 */
export async function takeProducedFiles(outputs: TaskOutputs, plan: ProducedPlan): Promise<JsonObject> {
  const taken = new Map<string, Json>()
  for (const [name, value] of Object.entries(outputs)) {
    const isFile =
      plan.outputs.includes(name) && typeof value === 'object' && value !== null && '$file' in value
    taken.set(name, isFile ? await take(name, value as JsonObject, plan) : (value as Json))
  }
  return Object.fromEntries(taken)
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
