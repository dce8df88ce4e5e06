import { describe, expect, it } from 'vitest'
import { spanIdOf, traceIdOf } from './trace'

describe('ids of traces', () => {
  it('[H-21] are written as W3C Trace Context does, and are the same every time', () => {
    expect(traceIdOf('01JDVYQ0000000000000000000')).toMatch(/^[0-9a-f]{32}$/)
    expect(traceIdOf('01JDVYQ0000000000000000000')).toBe(traceIdOf('01JDVYQ0000000000000000000'))
    expect(spanIdOf('01JDVYQ0000000000000000000', 'extract', 1, null, 2)).toMatch(/^[0-9a-f]{16}$/)
  })

  it('[H-21] differ for whatever differs', () => {
    const traces = new Set<string>()
    const spans = new Set<string>()
    for (let run = 0; run < 2_000; run += 1) {
      const id = `01JDVYQ${String(run).padStart(19, '0')}`
      traces.add(traceIdOf(id))
      for (let item = 0; item < 20; item += 1) spans.add(spanIdOf(id, 'node', 1, item, 1))
    }
    expect(traces.size).toBe(2_000)
    expect(spans.size).toBe(40_000)
    // Parts are apart: node 1 of generation 12 is not node 11 of generation 2.
    expect(spanIdOf('a', 1, 12)).not.toBe(spanIdOf('a', 11, 2))
  })
})
