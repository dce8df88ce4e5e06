import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Entry } from '@/core/engine/event'
import { evolve } from '@/core/engine/fold/evolve'
import { formatInstant, parseInstant } from '@/core/engine/instant'
import { logViolations } from '@/core/engine/invariants'
import { viewOf } from '@/core/engine/view/project'
import { faultOfEntry } from '@/core/engine/stored-entry'
import { emptyState } from '@/core/engine/state'
import { EngineRun, compiled } from './engine-run'
import { SCENARIOS, type GoldenHead } from './golden-scenarios'
import { createRunnerFixture, type RunnerFixture } from './runner-fixture'

/**
 * Journals that an engine of some day wrote, folded by the engine of today. They are never made anew: `PENSTOCK_GOLDEN=add` writes
 * those that are missing and touches none that is there.
 */
const folder = join(import.meta.dirname, 'golden')
const fileOf = (name: string) => join(folder, `${name}.jsonl`)
let fixture: Promise<RunnerFixture> | undefined
afterAll(async () => (await fixture)?.[Symbol.asyncDispose]())

async function add(scenario: (typeof SCENARIOS)[number]): Promise<void> {
  const run = new EngineRun(scenario.definition)
  await scenario.play(run, await (fixture ??= createRunnerFixture()))
  run.check()
  if (run.state.closedAt === null) throw new Error(`${scenario.name} did not end`)
  const head = {
    definition: scenario.definition,
    ended_at: formatInstant(run.now),
    view: viewOf(run.state, run.now),
  } satisfies GoldenHead
  const lines = [head, ...run.entries].map((line) => JSON.stringify(line))
  writeFileSync(fileOf(scenario.name), `${lines.join('\n')}\n`, { flag: 'wx' })
}

describe('golden logs', () => {
  it.each(SCENARIOS)(
    '$name is kept',
    async (scenario) => {
      if (process.env['PENSTOCK_GOLDEN'] === 'add' && !existsSync(fileOf(scenario.name))) await add(scenario)
      expect(existsSync(fileOf(scenario.name)), 'PENSTOCK_GOLDEN=add adds it').toBe(true)
    },
    60_000,
  )

  it.each(readdirSync(folder))('[R-2][H-13][R-63] %s folds into the view that its run ended with', (file) => {
    const [head, ...entries] = readFileSync(join(folder, file), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown) as [GoldenHead, ...Entry[]]
    const pipeline = compiled(head.definition)
    const state = emptyState(entries[0]!.event.execution_id, pipeline)
    for (const entry of entries) {
      expect(faultOfEntry(entry), entry.event.id).toBeNull()
      evolve(state, entry)
    }
    // A view may get more fields; those it has had stay for ever.
    expect(viewOf(state, parseInstant(head.ended_at))).toMatchObject(head.view)
    expect(logViolations(entries, pipeline.finallyNodes)).toEqual([])
  })
})
