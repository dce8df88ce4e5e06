import { availableParallelism } from 'node:os'
import { describe, expect, it } from 'vitest'
import { readSettings } from './settings'

describe('settings', () => {
  it('has a default that works for each', () => {
    const read = readSettings({})
    expect(read).toMatchObject({
      ok: true,
      unknown: [],
      settings: {
        port: 3000,
        host: '127.0.0.1',
        maxNodes: 500,
        maxConcurrentTasks: 100,
        maxChildren: Math.max(4, 2 * availableParallelism()),
        rateLimit: 500,
        allowShell: false,
        bootstrapToken: null,
      },
    })
  })

  it('takes values, and names settings that mean nothing', () => {
    const read = readSettings({
      PORT: '0',
      PENSTOCK_MAX_NODES: '10000',
      PENSTOCK_EGRESS_ALLOW: 'a.example, 10.0.0.0/8',
      PENSTOCK_MAX_NODE: '3',
      PATH: '/bin',
      PENSTOCK_PUBLIC_URL: 'https://penstock.example',
    })
    if (!read.ok) throw new Error(read.problems.join())
    expect(read.unknown).toEqual(['PENSTOCK_MAX_NODE'])
    expect(read.settings.egressAllow.map(({ kind }) => kind)).toEqual(['host', 'range'])
    expect(read.settings.publicUrl?.origin).toBe('https://penstock.example')
  })

  it.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '3e3'],
    ['HOST', 'a b'],
    ['PENSTOCK_MAX_NODES', '10001'],
    ['PENSTOCK_MAX_CHILD_PROCESSES', '0'],
    ['PENSTOCK_BOOTSTRAP_TOKEN', 'short'],
    ['PENSTOCK_BOOTSTRAP_TOKEN', `${'x'.repeat(20)} y`],
    ['PENSTOCK_SECRET_KEY', 'x'.repeat(31)],
    ['PENSTOCK_PUBLIC_URL', 'ftp://x'],
    ['PENSTOCK_LOG_LEVEL', 'loud'],
    ['PENSTOCK_METRICS_TOKEN', 'short'],
    ['PENSTOCK_METRICS_PORT', '70000'],
    ['PENSTOCK_TRACE_ENDPOINT', 'jaeger:4318'],
    ['PENSTOCK_TRACE_PERCENT', '101'],
    ['PENSTOCK_TRACE_LINK', 'https://jaeger.example/trace'],
    ['PENSTOCK_ALLOW_SHELL', 'yes'],
    ['PENSTOCK_EGRESS_ALLOW', 'a.example, http://b.example/'],
    ['PENSTOCK_EGRESS_ALLOW', '*'],
    ['DATABASE_URL', 'postgres://x'],
  ])('refuses %s=%s in a line that names it', (name, value) => {
    const read = readSettings({ [name]: value })
    expect(read.ok ? [] : read.problems).toEqual([expect.stringContaining(name)])
  })
})
