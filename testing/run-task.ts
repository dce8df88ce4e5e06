import type { JsonObject } from '@/core/engine/event'
import type { TaskRun } from '@/server/ports/runner'

/** Runs a task that needs neither a folder nor a child: its outputs, and its lines as `stream text`. */
export async function runTask(run: TaskRun, input: JsonObject) {
  const lines: string[] = []
  const outputs = await run(input, {
    idempotencyKey: 'e/n/1/0',
    signal: new AbortController().signal,
    workDir: '/nowhere',
    log: (stream, text) => void lines.push(`${stream} ${text}`),
    progress: () => undefined,
  })
  return { outputs, lines }
}
