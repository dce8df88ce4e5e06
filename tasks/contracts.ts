import { approval } from './approval/contract'
import { chartRender } from './chart.render/contract'
import { duckdbQuery } from './duckdb.query/contract'
import { fail } from './fail/contract'
import { fileWrite } from './file.write/contract'
import { httpRequest } from './http.request/contract'
import { log } from './log/contract'
import { noop } from './noop/contract'
import { scriptJavascript } from './script.javascript/contract'
import { set } from './set/contract'
import { shell } from './shell/contract'
import { wait } from './wait/contract'
import type { TaskContract } from './contract'

/** Every task type, in the order in which a palette shows them. Pure: the browser, the server and tests may all import it. */
const contracts = {
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
} satisfies Readonly<Record<string, TaskContract>>

export type TaskType = keyof typeof contracts

/** The types of one placement. A catalog of runs has a line for each of them, or it does not compile. */
type TypesAt<Placement extends TaskContract['placement']> = {
  [Type in TaskType]: (typeof contracts)[Type]['placement'] extends Placement ? Type : never
}[TaskType]

/** Types whose work is trusted and cheap: they run in the server's process. */
export type ServerTaskType = TypesAt<'server'>

/** Types that burn CPU or run what a user wrote: they run in a child process. */
export type ChildTaskType = TypesAt<'child'>

/** The contracts by the names of their types. */
export const taskCatalog: ReadonlyMap<string, TaskContract> = new Map(Object.entries(contracts))
