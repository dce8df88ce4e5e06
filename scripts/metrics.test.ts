import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LIMITS, circlesOf, linesOf, measure } from './metrics.mjs'

const root = resolve(import.meta.dirname, '..')

describe('metrics', () => {
  it.each(Object.entries(measure(root)))('there are no more of %s than the limit allows', (name, places) => {
    const most = LIMITS[name as keyof typeof LIMITS]
    expect(places.length, `${name}: ${places.join(' ')}`).toBeLessThanOrEqual(most)
  })

  it('finds circles of values, of types, of late imports, and of a file with itself', () => {
    const files = new Map([
      ['core/a.ts', "import type { B } from './b'\n"],
      ['core/b.ts', "export { c } from '@/core/c'\n"],
      ['core/c.ts', "export const late = () => import('./a')\n"],
      ['core/self.ts', "import './self'\n"],
      ['core/leaf.ts', "import { a } from './a'\nimport { z } from 'zod'\n"],
    ])
    expect(circlesOf(files)).toEqual([['core/a.ts', 'core/b.ts', 'core/c.ts'], ['core/self.ts']])
  })

  it.each([
    ['payloadCasts', "const a = event.payload['token'] as number"],
    ['payloadCasts', "const a = (payload['duration_ms'] ?? 0) as number"],
    ['payloadCasts', "f((event.payload['gate'] as { events: string[] } | undefined)?.events)"],
    ['unknownCasts', 'const a = error as unknown as JsonObject'],
    ['slicedTypes', "const source = type.slice(0, type.indexOf('.'))"],
    ['slicedTypes', "if (event.type.endsWith('.completed')) return"],
    ['slicedTypes', "const outside = gate.filter((each) => each.startsWith('external.'))"],
  ] as const)('counts %s: %s', (name, line) => {
    const found = linesOf(new Map([['core/engine/planted.ts', `export {}\n${line}\n`]]))
    expect(found).toEqual({
      payloadCasts: [],
      unknownCasts: [],
      slicedTypes: [],
      [name]: ['core/engine/planted.ts:2'],
    })
  })

  it('counts neither what reads free JSON nor what is no event type', () => {
    const lines = ["const comment = payload['comment'] ?? null", "const words = text.split('.')"]
    const found = linesOf(new Map([['core/engine/planted.ts', lines.join('\n')]]))
    expect(Object.values(found).flat()).toEqual([])
  })
})
