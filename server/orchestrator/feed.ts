import type { Commit, Feed } from './contract'

type Listeners<Args extends readonly unknown[]> = Set<(...args: Args) => void>

function listen<Args extends readonly unknown[]>(listeners: Listeners<Args>) {
  return (listener: (...args: Args) => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
}

/** Who listens to what becomes durable, and the calls that reach them. */
export function createFeed() {
  const commits: Listeners<[commit: Commit]> = new Set()
  const removals: Listeners<[executionId: string]> = new Set()
  const logs: Listeners<[executionId: string, nodeId: string]> = new Set()
  const violations: Listeners<[]> = new Set()
  const feed: Feed = {
    onCommit: listen(commits),
    onRemoved: listen(removals),
    onLog: listen(logs),
    onViolations: listen(violations),
  }
  return {
    feed,
    committed: (commit: Commit) => commits.forEach((listener) => listener(commit)),
    removed: (executionId: string) => removals.forEach((listener) => listener(executionId)),
    logged: (executionId: string, nodeId: string) =>
      logs.forEach((listener) => listener(executionId, nodeId)),
    violationsChanged: () => violations.forEach((listener) => listener()),
  }
}
