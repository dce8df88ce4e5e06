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

/** One run: a value, a wait, a value made of both, and in every twentieth run a script in a child process. */
const nodes = (scripted: boolean) => [
  {
    id: 'a',
    task: 'set',
    startWhen: 'event:pipeline.started',
    inputBindings: { n: '{{ pipeline.input.n + 1 }}' },
  },
  { id: 'w', task: 'wait', startWhen: 'event:a.completed', inputBindings: { duration: '400ms' } },
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
 * Kills the product with `runs` runs in flight, starts it again and waits until all have ended; `kills` times on one data
 * folder. Then reads every journal and throws when something acknowledged is missing, something happened twice, or a run came to
 * anything but its value.
 */
export async function killInFlight(options: {
  kills: number
  runs: number
  seed: number
}): Promise<readonly KillReport[]> {
  const random = new Random(options.seed)
  const dataDir = mkdtempSync(join(tmpdir(), 'penstock-in-flight-'))
  const boot = () =>
    startServer({ dataDir, env: { PENSTOCK_RATE_LIMIT: '1000000', PENSTOCK_LOG_LEVEL: 'error' } })
  const acknowledged = new Map<string, number>()
  const measured: { killedAt: number; bornAt: number; bootMs: number }[] = []
  let server = await boot()
  try {
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
    for (let kill = 0; kill < options.kills; kill++) {
      const starts = startAll(server, options.runs, acknowledged)
      // Somewhere between the first starts and the last ends.
      await pause(random.whole(50, 400 + options.runs))
      const killedAt = Date.now()
      await server.stop('SIGKILL')
      await starts
      const bornAt = Date.now()
      server = await boot()
      measured.push({ killedAt, bornAt, bootMs: Date.now() - bornAt })
      await quiet(server)
    }
    await server.stop()
    const logs = await readAll(dataDir)
    for (const [id, n] of acknowledged) check(id, n, logs.get(id))
    for (const [id, log] of logs) checkLog(id, log)
    return measured.map((one) => report(one, [...logs.values()]))
  } finally {
    await server.stop('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Starts the runs, sixty-four at a time; what the kill cut off is nobody's promise. */
async function startAll(
  server: ServerProcess,
  runs: number,
  acknowledged: Map<string, number>,
): Promise<void> {
  const client = restClient(server)
  let next = 0
  const worker = async () => {
    while (next < runs) {
      const n = next++
      const id = await client.start(n % 20 === 0 ? 'scripted' : 'plain', { n }).catch(() => null)
      if (id === null) return
      acknowledged.set(id, n)
    }
  }
  await Promise.all(Array.from({ length: 64 }, worker))
}

/** Resolves when no run is open. */
async function quiet(server: ServerProcess): Promise<void> {
  const client = restClient(server)
  for (;;) {
    const { body } = await client.call('GET', '/executions?status=pending,running,waiting,verifying&limit=1')
    if ((body as { items: unknown[] }).items.length === 0) return
    await pause(50)
  }
}

async function readAll(dataDir: string): Promise<Map<string, Entry[]>> {
  const migrationsDir = resolve(import.meta.dirname, '../prisma/migrations')
  const store = await openStore({ dataDir, tenantId: 'default', migrationsDir })
  const logs = new Map<string, Entry[]>()
  for (let cursor: string | undefined; ;) {
    const page = await store.executions.list({ limit: 1_000, ...(cursor === undefined ? {} : { cursor }) })
    for (const { executionId } of page.items) logs.set(executionId, await store.journal.read(executionId))
    if (page.nextCursor === null) break
    cursor = page.nextCursor
  }
  await store.close()
  return logs
}

function check(id: string, n: number, log: readonly Entry[] | undefined): void {
  if (log === undefined) throw new Error(`${id} was acknowledged and is not there`)
  const value = log.findLast(({ event }) => event.type === 'pipeline.completed')?.variables[0]?.value
  if (value !== (n + 1) * 2 + 1) throw new Error(`${id} came to ${String(value)} from ${n}`)
}

function checkLog(id: string, log: readonly Entry[]): void {
  const found = logViolations(log, [])
  for (const node of ['a', 'w', 'b', 'c']) {
    const ends = log.filter(({ event }) => event.type === `${node}.completed`).length
    if (ends !== 1) found.push(`${node} completed ${ends} times`)
  }
  if (log.at(-1)?.event.type !== 'pipeline.closed') found.push('it is not closed')
  if (found.length > 0) throw new Error(`${id}: ${found.join('; ')}`)
}

function report(
  { killedAt, bornAt, bootMs }: { killedAt: number; bornAt: number; bootMs: number },
  logs: readonly (readonly Entry[])[],
): KillReport {
  const moved: number[] = []
  for (const log of logs) {
    const times = log.map(({ event }) => Date.parse(event.timestamp))
    const [begun, ended] = [times[0]!, times.at(-1)!]
    if (begun < killedAt && ended >= bornAt) moved.push(times.find((time) => time >= bornAt)! - bornAt)
  }
  return { bootMs, firstMs: Math.min(...moved), allMs: Math.max(...moved), open: moved.length }
}
