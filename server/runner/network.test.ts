import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { createRunnerFixture, outputsOf } from '@/testing/runner-fixture'
import { withoutNetwork } from './network'

const connects = `async ({ port }) => {
  const { connect } = await import('node:net')
  return new Promise((answer) => {
    const socket = connect(port, '127.0.0.1', () => { socket.destroy(); answer({ reached: true }) })
    socket.on('error', () => answer({ reached: false }))
  })
}`
const tasks = ['duckdb.query', 'chart.render', 'script.javascript', 'shell'].map(
  (type) => `'${type}': ${connects}`,
)

// Not every system permits it; the server says so when it starts.
it.skipIf(withoutNetwork() === null)(
  '[SECURITY] only programs of the operator have a network, and each kind finds its child when there is room for one',
  async () => {
    await using at = await createRunnerFixture({ tasks: tasks.join(), limits: { maxChildren: 1 } })
    const listener = createServer().listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const { port } = listener.address() as AddressInfo
    for (const type of [
      'duckdb.query',
      'chart.render',
      'script.javascript',
      'shell',
      'duckdb.query',
      'shell',
    ]) {
      expect(outputsOf(await at.run(type, { port })), type).toEqual({ reached: type === 'shell' })
    }
    listener.close()
  },
)
