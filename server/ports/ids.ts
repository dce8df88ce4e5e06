/** Ids of new executions and other records: unique, sortable by creation. */
export interface Ids {
  execution(): string
  artifact(): string
}
