import type { Egress } from '@/server/ports/egress'
import type { TaskRun } from '@/server/ports/runner'
import { run as fail } from './fail/run'
import { run as fileWrite } from './file.write/run'
import { run as httpRequest } from './http.request/run'
import { run as log } from './log/run'
import { run as noop } from './noop/run'
import { run as set } from './set/run'
import type { ServerTaskType } from './contracts'

/** `folder`: the task needs a folder of its own. `files`: the outputs in which it may return a file. */
export type ServerTask = {
  readonly run: TaskRun
  readonly folder: boolean
  readonly files: readonly string[]
}

/** Trusted, cheap tasks that run in the server's process. Total: a type without its implementation does not compile. */
export function serverTasks(egress: Egress): ReadonlyMap<string, ServerTask> {
  const byType: Readonly<Record<ServerTaskType, ServerTask>> = {
    noop: { run: noop, folder: false, files: [] },
    set: { run: set, folder: false, files: [] },
    log: { run: log, folder: false, files: [] },
    fail: { run: fail, folder: false, files: [] },
    'file.write': { run: fileWrite, folder: true, files: ['artifact'] },
    'http.request': { run: httpRequest(egress), folder: true, files: ['body'] },
  }
  return new Map(Object.entries(byType))
}
