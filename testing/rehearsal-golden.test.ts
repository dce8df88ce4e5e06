import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Entry } from '@/core/engine/event'
import { planOfRun } from '@/core/rehearsal/plan-of-run'
import { rehearse } from '@/core/rehearsal/rehearse'
import { compiled } from './engine-run'
import type { GoldenHead } from './golden-scenarios'
import { orderOf } from './rehearsal-fixture'

const folder = join(import.meta.dirname, 'golden')

describe('a rehearsal of a run that is over', () => {
  it.each(readdirSync(folder))('[R-77] %s happens again', (file) => {
    const [head, ...entries] = readFileSync(join(folder, file), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown) as [GoldenHead, ...Entry[]]
    const pipeline = compiled(head.definition)
    const planned = planOfRun(pipeline, entries)
    if (!planned.ok) {
      expect([file, planned.message]).toEqual(['pause-and-resume.jsonl', 'it was paused'])
      return
    }
    const rehearsed = rehearse(pipeline, planned.plan)
    if (!rehearsed.ok) throw new Error(JSON.stringify(rehearsed.issues))
    // Timers of those days were looked at when it suited the test; here they are in time.
    const order = (all: readonly Entry[]) => orderOf(all).map((line) => line.replace(/ at \d+$/, ''))
    expect(order(rehearsed.rehearsal.entries)).toEqual(order(entries))
    expect(rehearsed.rehearsal.refused).toEqual([])
  })
})
