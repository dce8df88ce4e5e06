import { isMainThread, Worker, workerData } from 'node:worker_threads'

const LOOK_EVERY_MS = 250

/**
 * Ends the process when its parent is gone, even while the main thread is busy (a script that spins, a chart that computes):
 * then nothing on the main thread would ever see the channel close. The guard is a thread of its own that looks at the
 * parent's process id, which the system changes when the parent dies, and kills the whole process group.
 */
export function startGuard(entry: string, parent: number): void {
  const guard = new Worker(new URL(entry), {
    workerData: { parent },
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 },
  })
  guard.unref()
  // Without its guard the process could outlive its parent.
  guard.once('error', () => process.exit(70))
}

/** True in the guard's thread, where the entry must do nothing else. */
export function isGuard(): boolean {
  return !isMainThread
}

/** The guard's whole work. */
export function watchParent(): void {
  const { parent } = workerData as { parent: number }
  setInterval(() => {
    if (process.ppid !== parent) endProcessGroup()
  }, LOOK_EVERY_MS)
}

/** Ends this process and everything that it started: an exit of its own would leave those behind. */
export function endProcessGroup(): void {
  try {
    process.kill(-process.pid, 'SIGKILL')
  } catch {
    process.kill(process.pid, 'SIGKILL')
  }
}
