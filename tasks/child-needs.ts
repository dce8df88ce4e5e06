import { needs as chartRender } from './chart.render/needs'
import { needs as duckdbQuery } from './duckdb.query/needs'
import { needs as scriptJavascript } from './script.javascript/needs'
import { needs as shell } from './shell/needs'
import type { ChildTaskType } from './contracts'
import type { ChildTaskNeeds } from './support/child-task-needs'

const byType: Readonly<Record<ChildTaskType, ChildTaskNeeds>> = {
  'script.javascript': scriptJavascript,
  'duckdb.query': duckdbQuery,
  'chart.render': chartRender,
  shell,
}

/** What each task of a child needs. */
export const childTaskNeeds: ReadonlyMap<string, ChildTaskNeeds> = new Map(Object.entries(byType))
