import { readdirSync, readFileSync } from 'node:fs'

/** Processes whose parent is `pid`. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((other) => parentOf(other) === pid)
}

export function isAlive(pid: number): boolean {
  try {
    // A zombie is dead: it only waits to be read.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return null
  }
}

/** Resolves when none of these processes is there any more, however long the machine takes. */
export async function allGone(pids: readonly number[]): Promise<void> {
  while (pids.some((pid) => parentOf(pid) !== null)) await new Promise((resolve) => setTimeout(resolve, 10))
}
