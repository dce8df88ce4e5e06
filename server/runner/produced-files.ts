import { isAbsolute, relative, sep } from 'node:path'
import type { Json, JsonObject } from '@/core/engine/event'
import { isContentType } from '@/tasks/support/content-type'
import type { TaskOutputs } from '@/tasks/support/outputs'
import { checkRelativePath } from '@/tasks/support/relative-path'
import { TaskFailure } from '@/tasks/support/task-failure'
import { confinedFile } from './confined-file'
import { localContent } from './content'
import type { Answer, Content, StoredFile } from './worker-protocol'

type ProducedPlan = {
  readonly workDir: string
  /** The outputs in which the task may return a file. In any other a value of that shape is just a value. */
  readonly outputs: readonly string[]
  /** Hands a file to the server. */
  readonly store: (name: string, contentType: string, content: Content) => Promise<Answer<StoredFile>>
}

/**
 * Hands the files that a task returned, alone or in a list, to the server and replaces each by `{ artifact_id, name, content_type, bytes }`.
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
  const { file, stats } = await confinedFile(plan.workDir, below, `output ${output}`)
  const checked = checkRelativePath(name, `output ${output}`)
  const stored = await plan.store(checked, contentType, localContent(file, stats.size))
  if (stored.ok) return stored.value
  throw new TaskFailure(stored.error.kind, stored.error.message, stored.error.detail)
}
