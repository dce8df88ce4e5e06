import { availableParallelism, totalmem } from 'node:os'
import { collectDefaultMetrics, Gauge } from 'prom-client'
import type { WorkerPool } from '@/server/ports/runner'
import type { StorageGauge } from '@/server/ports/storage'
import type { Metrics } from './metrics'

/** How the server stands, read when somebody scrapes. */
export type GaugeSources = {
  readonly admission: () => {
    readonly slots: number
    readonly inUse: number
    readonly queued: readonly unknown[]
  }
  readonly memory: () => {
    readonly executions: number
    readonly variables: number
    readonly variableBytes: number
  }
  readonly violations: () => readonly unknown[]
  readonly workers: () => readonly WorkerPool[]
  readonly storage: StorageGauge
}

/** Adds what is read at every scrape. */
export function addGauges({ registry, reads }: Metrics, sources: GaugeSources): void {
  const registers = [registry]
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  gauge('variables_count', 'Variables of the runs that are in memory', () => sources.memory().variables)
  gauge(
    'variable_storage_size',
    'Bytes of the variables of the runs that are in memory, as JSON',
    () => sources.memory().variableBytes,
  )
  gauge(
    'variable_get_rate',
    'Variables looked up a second, by expressions and by callers, over the last minute',
    reads.perSecond,
  )
  gauge('penstock_executions_in_memory', 'Runs in memory', () => sources.memory().executions)
  gauge(
    'penstock_queue_depth',
    'Nodes that wait for a slot, over all runs',
    () => sources.admission().queued.length,
  )
  gauge('penstock_slots', 'Attempts that may work at once', () => sources.admission().slots)
  gauge('penstock_slots_in_use', 'Attempts at work', () => sources.admission().inUse)
  gauge('penstock_health_violations', 'What is known not to hold of runs', () => sources.violations().length)
  gauge('penstock_cpu_cores', 'Cores that the process may use', availableParallelism)
  gauge('penstock_memory_size_bytes', 'Memory of the machine, or the limit of the container', memorySize)
  addWorkers(registers, sources.workers)
  addStorage(registers, sources.storage)
}

/** Adds the streams of events that are open. */
export function addStreams({ registry }: Metrics, streams: () => number): void {
  new Gauge({
    name: 'penstock_sse_streams',
    help: 'Streams of events that are open',
    registers: [registry],
    collect() {
      this.set(streams())
    },
  })
}

/** Processor, memory, event loop and collector of this process, under the usual names for Node. Once for a process. */
export function addProcessMetrics({ registry }: Metrics): void {
  collectDefaultMetrics({ register: registry })
}

type Registers = Metrics['registry'][]

function addWorkers(registers: Registers, workers: () => readonly WorkerPool[]): void {
  const each = (name: string, help: string, read: (pool: WorkerPool) => number | null) =>
    new Gauge({
      name,
      help,
      labelNames: ['pool'],
      registers,
      collect() {
        for (const pool of workers()) {
          const value = read(pool)
          if (value !== null) this.set({ pool: pool.name }, value)
        }
      },
    })
  each(
    'penstock_workers_in_use',
    'Attempts that workers hold, by pool; `children`: child processes',
    (pool) => pool.used,
  )
  each('penstock_workers_waiting', 'Attempts that wait for a worker, by pool', (pool) => pool.waiting)
  each(
    'penstock_workers_capacity',
    'Attempts that workers can hold, by pool; none where it is any number',
    (pool) => pool.capacity,
  )
}

function addStorage(registers: Registers, storage: StorageGauge): void {
  const each = (
    name: string,
    help: string,
    read: (use: Awaited<ReturnType<StorageGauge['use']>>) => number | null,
  ) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const value = read(await storage.use())
        if (value === null) this.remove()
        else this.set(value)
      },
    })
  each('penstock_database_bytes', 'Bytes of the database that hold something', (use) => use.databaseBytes)
  each('penstock_database_log_bytes', 'Bytes of the write-ahead log of the database', (use) => use.walBytes)
  each('penstock_disk_free_bytes', 'What the disk of the data folder has left', (use) => use.diskFreeBytes)
  each('penstock_disk_size_bytes', 'Size of the disk of the data folder', (use) => use.diskSizeBytes)
}

/** A container may have less than the machine; where it has no limit, the answer is 0 or more than there is. */
function memorySize(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}
