import { statfs } from 'node:fs/promises'
import type { StorageGauge, StorageUse } from '@/server/ports/storage'

const MB = 1024 * 1024
/** A disk with less than this left is worth a word. */
const LITTLE_DISK = 512 * MB
/** The share of the budget from which on it is worth a word. */
const NEAR = 0.8

export type StorageGaugeOptions = {
  readonly size: () => Promise<{ readonly databaseBytes: number; readonly walBytes: number }>
  readonly dataDir: string
  /** Megabytes that the database may have; 0: no limit. */
  readonly maxDatabaseMb: number
  readonly now: () => number
  /** Called once when it becomes near or full, and again when it does after it was better. */
  readonly warn: (message: string) => void
}

/** How long an answer is good: asking reads two numbers of the file, and every start of a run asks. */
const FRESH_MS = 1_000

export function createStorageGauge(options: StorageGaugeOptions): StorageGauge {
  const budgetBytes = options.maxDatabaseMb === 0 ? null : options.maxDatabaseMb * MB
  let last: { readonly at: number; readonly use: Promise<StorageUse> } | null = null
  let warned: StorageUse['level'] = 'ok'

  async function read(): Promise<StorageUse> {
    const { databaseBytes, walBytes } = await options.size()
    const disk = await statfs(options.dataDir).catch(() => null)
    const diskFreeBytes = disk === null ? null : disk.bavail * disk.bsize
    const diskSizeBytes = disk === null ? null : disk.blocks * disk.bsize
    const share = budgetBytes === null ? 0 : databaseBytes / budgetBytes
    const little = diskFreeBytes !== null && diskFreeBytes < LITTLE_DISK
    const level = share >= 1 ? 'full' : share >= NEAR || little ? 'near' : 'ok'
    if (level !== warned && level !== 'ok') {
      const mb = (bytes: number) => `${Math.round(bytes / MB)} MB`
      options.warn(
        little && share < NEAR
          ? `the disk has ${mb(diskFreeBytes)} left`
          : `the database has ${mb(databaseBytes)} of ${options.maxDatabaseMb} MB (PENSTOCK_MAX_DATABASE_MB)${level === 'full' ? ': no new runs are taken' : ''}`,
      )
    }
    warned = level
    return { databaseBytes, walBytes, budgetBytes, diskFreeBytes, diskSizeBytes, level }
  }

  return {
    use() {
      if (last === null || options.now() - last.at >= FRESH_MS) last = { at: options.now(), use: read() }
      return last.use
    },
  }
}
