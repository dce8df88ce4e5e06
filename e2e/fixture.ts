// Journeys run against the product as people run it, one server for each worker.
import { test as base } from '@playwright/test'
import { bootMs, startServer, stopMs, type ServerProcess } from '@/testing/server-process'

export { expect } from '@playwright/test'

/** Playwright's test with `server` (one for each worker) and pages whose `baseURL` is that server. */
export const test = base.extend<object, { server: ServerProcess }>({
  server: [
    async ({}, use) => {
      const server = await startServer()
      await use(server)
      await server.stop()
    },
    { scope: 'worker', timeout: bootMs + stopMs },
  ],
  baseURL: ({ server }, use) => use(server.origin),
})
