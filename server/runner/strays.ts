import { readdir, readFile } from 'node:fs/promises'

/**
 * Ends what left the process group of a child (`setsid`) and would outlive it: every process whose HOME is the folder of the attempt,
 * or lies below it. Only Linux says so; elsewhere nothing is found. A program that also clears its environment is not found.
 *
 * @param folder the folder of an attempt, or of all of them
 */
export async function endStrays(folder: string): Promise<void> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^[0-9]+$/.test(name))
  for (const pid of pids) {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
    if (!environment.split('\0').some((line) => isBelow(line, `HOME=${folder}`))) continue
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It ended by itself.
    }
  }
}

function isBelow(line: string, top: string): boolean {
  return line === top || line.startsWith(`${top}/`)
}
