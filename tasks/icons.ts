import { icon as approval } from './approval/icon'
import { icon as chartRender } from './chart.render/icon'
import { icon as duckdbQuery } from './duckdb.query/icon'
import { icon as fail } from './fail/icon'
import { icon as fileWrite } from './file.write/icon'
import { icon as httpRequest } from './http.request/icon'
import { icon as log } from './log/icon'
import { icon as noop } from './noop/icon'
import { icon as scriptJavascript } from './script.javascript/icon'
import { icon as set } from './set/icon'
import { icon as shell } from './shell/icon'
import { icon as wait } from './wait/icon'
import type { LucideIcon } from 'lucide-react'
import type { TaskType } from './contracts'

/** A drawing and the quiet tint of its category. */
export type TaskIconParts = {
  readonly face: LucideIcon
  readonly tint: 'data' | 'code' | 'chart' | 'gate' | 'flow'
}

const byType: Readonly<Record<TaskType, TaskIconParts>> = {
  'http.request': httpRequest,
  'duckdb.query': duckdbQuery,
  'script.javascript': scriptJavascript,
  shell,
  approval,
  wait,
  set,
  'chart.render': chartRender,
  'file.write': fileWrite,
  log,
  fail,
  noop,
}

/** The icon of each task type. */
export const taskIcons: ReadonlyMap<string, TaskIconParts> = new Map(Object.entries(byType))
