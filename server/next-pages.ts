import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { Pages } from './serve'

export type NextPagesOptions = {
  readonly development: boolean
  readonly projectDir: string
  readonly host: string
  readonly port: number
}

/**
 * Pages are drawn by Next, which never sees the server's code. It is loaded last: the API does not wait for it. Next listens for
 * upgrades on whatever server it can reach, past every check of ours: it gets one that never listens, and only requests of the real one.
 */
export async function prepareNextPages(options: NextPagesOptions): Promise<Pages> {
  restoreOwnDate()
  const { default: next } = await import('next')
  const { development, projectDir, host, port } = options
  const decoy = createServer()
  const app = next({ dev: development, dir: projectDir, hostname: host, port, httpServer: decoy })
  await app.prepare()
  return {
    render: app.getRequestHandler(),
    upgrade: (request, socket, head) => void decoy.emit('upgrade', request, socket, head),
  }
}

/**
 * Next replaces the language's `Date` by one of its own, and what was loaded before does not know its values: times in
 * expressions would work until the pages are ready and fail from then on. What does it is loaded here, once, and undone.
 */
function restoreOwnDate(): void {
  const own = Date
  createRequire(import.meta.url)('next/dist/server/node-environment')
  globalThis.Date = own
  Object.defineProperty(own.prototype, 'constructor', { value: own })
}
