import { spawnSync } from 'node:child_process'

/** Ways to start a program without network; the first takes no privilege, the second is for root where the first is switched off. */
const WAYS: readonly (readonly string[])[] = [
  ['--user', '--map-current-user', '--net', '--'],
  ['--net', '--'],
]

let found: readonly string[] | null | undefined

/**
 * The program and words that start another one in a network namespace of its own, in which there is nothing, not even a loopback; null
 * where the system has none or does not permit it. The process stays the child of its parent: `unshare` becomes the program.
 */
export function withoutNetwork(): readonly string[] | null {
  found ??= look()
  return found
}

function look(): readonly string[] | null {
  if (process.platform !== 'linux') return null
  const works = (words: readonly string[]) =>
    spawnSync('unshare', [...words, 'true'], { stdio: 'ignore', timeout: 5_000 }).status === 0
  const way = WAYS.find(works)
  return way === undefined ? null : ['unshare', ...way]
}
