import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Entry } from '@/core/engine/event'
import { logViolations } from '@/core/engine/invariants'
import { openStore } from '@/server/store/open'
import { restClient } from './rest-client'
import { startServer, type ServerProcess } from './server-process'
import { Random } from './simulation/random'

export type KillReport = {
  /** Milliseconds from the start of the new process until it answered. */
  readonly bootMs: number
  /** From the same instant to the first event that a run got from it, and until every run that was open had got one. */
  readonly firstMs: number
  readonly allMs: number
  /** Runs that were open when the process was killed. */
  readonly open: number
}

export type Survival = {
  readonly kills: readonly KillReport[]
  /** Over all kills: runs and events that were read and checked afterwards. */
  readonly runs: number
  readonly events: number
}

/** One run: a value, a wait, a value made of both, and in every twentieth run a script in a child process. */
const nodes = (scripted: boolean) => [
  {
    id: 'a',
    task: 'set',
    startWhen: 'event:pipeline.started',
    inputBindings: { n: '{{ pipeline.input.n + 1 }}' },
  },
  { id: 'w', task: 'wait', startWhen: 'event:a.completed', inputBindings: { duration: '2500ms' } },
  scripted
    ? {
        id: 'b',
        task: 'script.javascript',
        startWhen: 'event:w.completed',
        inputBindings: { code: 'return input * 2', input: '{{ a.n }}' },
        outputVariables: { n: '{{ result.result }}' },
      }
    : { id: 'b', task: 'set', startWhen: 'event:w.completed', inputBindings: { n: '{{ a.n * 2 }}' } },
  { id: 'c', task: 'set', startWhen: 'event:b.completed', inputBindings: { n: '{{ b.n + 1 }}' } },
]

/**
 * Kills the product with at least `runs` runs started and, where the machine starts them within 2.5 s, in flight; starts it
 * again and waits until all have ended; `kills` times on one data folder. Then reads every journal and throws when something
 * acknowledged is missing, something happened twice, or a run came to anything but its value.
 */
export async function killInFlight(options: {
  kills: number
  runs: number
  seed: number
}): Promise<Survival> {
  const random = new Random(options.seed)
  const dataDir = mkdtempSync(join(tmpdir(), 'penstock-in-flight-'))
  const boot = () => bootLoaded(dataDir)
  const acknowledged = new Map<string, number>()
  const killed: Killed[] = []
  let server = await boot()
  try {
    await defineBoth(server)
    for (let kill = 0; kill < options.kills; kill++) {
      const { enough, ended } = startMany(server, options.runs, acknowledged)
      await enough
      // While the last start, while all wait, or while the first have gone on and end.
      await pause(random.whole(0, 2_000))
      const killedAt = Date.now()
      await server.stop('SIGKILL')
      await ended
      const bornAt = Date.now()
      server = await boot()
      killed.push({ killedAt, bornAt, bootMs: Date.now() - bornAt, moved: [] })
      await quiet(server)
    }
    await server.stop()
    const { runs, events } = await checkAll(dataDir, acknowledged, killed)
    return { kills: killed.map(report), runs, events }
  } finally {
    await server.stop('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** A server that takes as many starts as it can, on this folder. */
export const bootLoaded = (dataDir: string, env: Record<string, string> = {}) =>
  startServer({ dataDir, env: { PENSTOCK_RATE_LIMIT: '1000000', PENSTOCK_LOG_LEVEL: 'error', ...env } })

/** The two pipelines that `startMany` starts. */
export async function defineBoth(server: ServerProcess): Promise<void> {
  for (const scripted of [false, true]) {
    const id = scripted ? 'scripted' : 'plain'
    await restClient(server).define({
      schemaVersion: 1,
      id,
      name: id,
      inputs: { n: { type: 'number' } },
      outputs: { n: { value: '{{ c.n }}', required: true } },
      nodes: nodes(scripted),
    })
  }
}

/**
 * Starts up to twice as many runs, sixty-four at a time; what the kill cuts off is nobody's promise. `enough` when `runs` of them
 * are acknowledged.
 */
export function startMany(server: ServerProcess, runs: number, acknowledged: Map<string, number>) {
  const client = restClient(server)
  let next = 0
  let started = 0
  let reached = () => {}
  const enough = new Promise<void>((resolve) => (reached = resolve))
  const worker = async () => {
    while (next < 2 * runs) {
      const n = next++
      const id = await client.start(n % 20 === 0 ? 'scripted' : 'plain', { n }).catch(() => null)
      if (id === null) return
      acknowledged.set(id, n)
      if (++started === runs) reached()
    }
  }
  const ended = Promise.all(Array.from({ length: 64 }, worker)).then(reached)
  return { enough, ended }
}

/** Resolves when no run is open; throws when the server is gone. */
export async function quiet(server: ServerProcess): Promise<void> {
  const client = restClient(server)
  for (;;) {
    const { body } = await client.call('GET', '/executions?status=pending,running,waiting,verifying&limit=1')
    if ((body as { items: unknown[] }).items.length === 0) return
    await pause(50)
  }
}

type Killed = {
  readonly killedAt: number
  readonly bornAt: number
  readonly bootMs: number
  /** For each run that was open: milliseconds from the new process to its first event. */
  readonly moved: number[]
}

/** Reads every journal once, throws as `killInFlight` says, and adds to each kill how soon the runs that it found open went on. */
export async function checkAll(
  dataDir: string,
  acknowledged: ReadonlyMap<string, number>,
  killed: readonly Killed[] = [],
): Promise<{ runs: number; events: number }> {
  const migrationsDir = resolve(import.meta.dirname, '../prisma/migrations')
  const store = await openStore({ dataDir, tenantId: 'default', migrationsDir })
  const missing = new Set(acknowledged.keys())
  let [runs, events] = [0, 0]
  for (let cursor: string | undefined; ;) {
    const page = await store.executions.list({ limit: 1_000, ...(cursor === undefined ? {} : { cursor }) })
    for (const { executionId } of page.items) {
      const log = await store.journal.read(executionId)
      missing.delete(executionId)
      checkLog(executionId, log, acknowledged.get(executionId))
      const times = log.map(({ event }) => Date.parse(event.timestamp))
      const kill = killed.find(({ killedAt, bornAt }) => times[0]! < killedAt && times.at(-1)! >= bornAt)
      kill?.moved.push(times.find((time) => time >= kill.bornAt)! - kill.bornAt)
      runs += 1
      events += log.length
    }
    if (page.nextCursor === null) break
    cursor = page.nextCursor
  }
  await store.close()
  if (missing.size > 0)
    throw new Error(`${missing.size} acknowledged runs are not there: ${[...missing].slice(0, 5).join(', ')}`)
  return { runs, events }
}

/** `n` is the input of a run whose start was acknowledged. */
function checkLog(id: string, log: readonly Entry[], n: number | undefined): void {
  const found = logViolations(log, [])
  for (const node of ['a', 'w', 'b', 'c']) {
    const ends = log.filter(({ event }) => event.type === `${node}.completed`).length
    if (ends !== 1) found.push(`${node} completed ${ends} times`)
  }
  const value = log.findLast(({ event }) => event.type === 'pipeline.completed')?.variables[0]?.value
  if (n !== undefined && value !== (n + 1) * 2 + 1) found.push(`it came to ${String(value)} from ${n}`)
  if (log.at(-1)?.event.type !== 'pipeline.closed') found.push('it is not closed')
  if (found.length > 0) throw new Error(`${id}: ${found.join('; ')}`)
}

const report = ({ bootMs, moved }: Killed): KillReport => ({
  bootMs,
  firstMs: Math.min(...moved),
  allMs: Math.max(...moved),
  open: moved.length,
})
