import { approval } from './approval'
import { chartRender } from './chart-render'
import type { TaskContract } from './contract'
import { duckdbQuery } from './duckdb-query'
import { fail } from './fail'
import { fileWrite } from './file-write'
import { httpRequest } from './http-request'
import { log } from './log'
import { noop } from './noop'
import { scriptJavascript } from './script-javascript'
import { set } from './set'
import { shell } from './shell'
import { wait } from './wait'

const contracts: readonly TaskContract[] = [
  httpRequest,
  duckdbQuery,
  scriptJavascript,
  shell,
  approval,
  wait,
  set,
  chartRender,
  fileWrite,
  log,
  fail,
  noop,
]

/** Every task type there is, by name, in the order in which a palette shows them. */
export const taskCatalog: ReadonlyMap<string, TaskContract> = new Map(
  contracts.map((contract) => [contract.type, contract]),
)
