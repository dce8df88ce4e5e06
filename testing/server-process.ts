// The product as people run it: the production build in a process of its own, on a free port, with a data folder of its own.
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const root = resolve(import.meta.dirname, '..')
export const bootMs = 60_000
export const stopMs = 8_000

export interface ServerProcess {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  origin: string
  /** An API token that holds all roles. */
  token: string
  pid: number
  dataDir: string
  /** What the server has printed so far. */
  log(): string
  /** Ends the server (SIGTERM by default) and waits until it is gone. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface ServerOptions {
  /** Kept after the end when given; else a new folder that goes with the server. */
  dataDir?: string
  /** That of an earlier server, to be found again at the same address; else a free one. */
  port?: number
  env?: Record<string, string>
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}

const isReady = (origin: string): Promise<boolean> =>
  fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
    (response) => response.ok,
    () => false,
  )

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill(signal)
  const patience = setTimeout(() => child.kill('SIGKILL'), stopMs)
  await gone
  clearTimeout(patience)
}

/** Starts `node dist/main.mjs` and waits until it answers /readyz. Throws with the server's log when it does not. */
export async function startServer({
  dataDir,
  port: wanted,
  env = {},
}: ServerOptions = {}): Promise<ServerProcess> {
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'penstock-server-'))
  const port = wanted ?? (await freePort())
  const origin = `http://127.0.0.1:${port}`
  const token = `test-${crypto.randomUUID()}`
  const file = join(folder, 'server.log')
  const log = openSync(file, 'a')
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:DATABASE_URL|PENSTOCK_|PORT|HOST)/.test(name),
  )
  const child = spawn(process.execPath, [join(root, 'dist/main.mjs')], {
    cwd: root,
    stdio: ['ignore', log, log],
    env: {
      ...Object.fromEntries(inherited),
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      PORT: String(port),
      HOST: '127.0.0.1',
      PENSTOCK_DATA_DIR: folder,
      PENSTOCK_BOOTSTRAP_TOKEN: token,
      ...env,
    },
  })
  closeSync(log)
  const read = (): string => readFileSync(file, 'utf8')
  const latest = performance.now() + bootMs
  while (!(await isReady(origin))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the server ended at boot\n${read()}`)
    if (performance.now() > latest) {
      await end(child, 'SIGKILL')
      throw new Error(`the server was not ready in time\n${read()}`)
    }
    await pause(50)
  }
  return {
    origin,
    token,
    pid: child.pid ?? 0,
    dataDir: folder,
    log: read,
    stop: async (signal = 'SIGTERM') => {
      await end(child, signal)
      if (dataDir === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}
