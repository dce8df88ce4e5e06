import type { TaskRun } from '@/server/ports/runner'
import { run as chartRender } from './chart.render/run'
import { run as duckdbQuery } from './duckdb.query/run'
import { run as scriptJavascript } from './script.javascript/run'
import { run as shell } from './shell/run'
import type { ChildTaskType } from './contracts'

/** What runs in child processes. Only the child imports this: the server must not load the libraries behind it. */
const byType: Readonly<Record<ChildTaskType, TaskRun>> = {
  'script.javascript': scriptJavascript,
  'duckdb.query': duckdbQuery,
  'chart.render': chartRender,
  shell,
}

export const childTasks: ReadonlyMap<string, TaskRun> = new Map(Object.entries(byType))
