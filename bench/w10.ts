import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { benchActor, openEngine } from './engine'
import { ms, quantile, type Workload } from './workload'

const RUNS = 100_000
const AT_ONCE = 500
const RESUMED = 100

export const w10: Workload = {
  id: 'W10',
  title: `${RUNS.toLocaleString('en')} runs that wait for an approval`,
  async run() {
    const dataDir = mkdtempSync(join(tmpdir(), 'penstock-w10-'))
    try {
      const parked = await park(dataDir)
      // A process of its own: nothing of the hundred thousand starts is in its memory.
      const booted = spawnSync(process.execPath, ['--expose-gc', process.argv[1]!, 'W10:BOOT', dataDir], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      if (booted.status !== 0) throw new Error('the engine did not boot with its parked runs')
      const boot = JSON.parse(booted.stdout) as Awaited<ReturnType<typeof bootWithParked>>
      const row = (name: string, figure: string, goal: string) => ({
        name,
        figure,
        limit: '–',
        ratio: null,
        goal,
      })
      return [
        row('memory a parked run', `${Math.round(boot.bytesEach)} B`, '≤ 1,024 B'),
        row('boot with all of them', ms(boot.bootMs), '≤ 3,000 ms'),
        row(`resuming ${RESUMED}, P99`, ms(boot.resumeP99Ms), '≤ 50 ms'),
        row('parking', `${Math.round(RUNS / parked)} runs/s`, '–'),
      ]
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
}

/** @returns the seconds that it took until all of them waited */
async function park(dataDir: string): Promise<number> {
  await using engine = await openEngine({ keepBatches: false, dataDir })
  await engine.define({
    schemaVersion: 1,
    id: 'gate',
    name: 'gate',
    nodes: [
      {
        id: 'approval',
        task: 'approval',
        inputBindings: { message: 'Go on?', approvers: ['role:approver'] },
        startWhen: 'event:pipeline.started',
      },
    ],
  })
  const started = performance.now()
  for (let at = 0; at < RUNS; at += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => engine.start('gate')))
  return (performance.now() - started) / 1_000
}

/** Resident bytes of this process that are not pages of the database file, which the system may take back at any time. */
function ownMemory(): number {
  const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  return Number(kilobytes) * 1_024
}

/** The other process: boots over the parked runs, and lets a hundred of them go on. */
export async function bootWithParked(dataDir: string) {
  // The engine itself, its libraries and a first run of everything: not what a parked run costs.
  await (await openEngine({ keepBatches: false }))[Symbol.asyncDispose]()
  globalThis.gc?.()
  const before = ownMemory()
  const started = performance.now()
  await using engine = await openEngine({ keepBatches: false, dataDir })
  const bootMs = performance.now() - started
  globalThis.gc?.()
  const bytesEach = (ownMemory() - before) / RUNS
  const waiting = await engine.store.approvals.pending({ limit: RESUMED })
  const times = await Promise.all(
    waiting.items.map(async ({ executionId }) => {
      const asked = performance.now()
      const over = new Promise<void>((resolve) => {
        engine.feed.onCommit((commit) => {
          if (commit.executionId === executionId && commit.row?.finishedAt != null) resolve()
        })
      })
      const answer = await engine.engine.submit({
        executionId,
        input: {
          type: 'publish_event',
          eventType: 'external.approval.approved',
          payload: {},
          actor: benchActor,
        },
      })
      if (!answer.ok) throw new Error(answer.rejection.message)
      await over
      return performance.now() - asked
    }),
  )
  return { bootMs, bytesEach, resumeP99Ms: quantile(times, 0.99) }
}
