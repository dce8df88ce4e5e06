import { describe, expect, it } from 'vitest'
import { countOf } from '@/core/objectives/histogram'
import { createMemoryDisk } from '@/server/store/memory/disk'
import { createMemoryObjectives } from '@/server/store/memory/objectives'
import { openApiServer } from '@/testing/api-server'
import { createManualClock } from '@/testing/manual-clock'
import { recordObjectives } from './objectives'

const MINUTE = 60_000

/** A recorder over a clock that the test moves, and what it has stored. */
function recorder(options: { isUp?: () => boolean; runs?: () => number } = {}) {
  const manual = createManualClock()
  // The clock begins within a minute.
  manual.pass(MINUTE - (manual.now() % MINUTE))
  const clock = {
    now: manual.now,
    after: manual.wait,
    /** Time passes, and what was asked of the store is done. */
    async pass(ms: number) {
      manual.pass(ms)
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
  const begin = clock.now() / MINUTE
  const store = createMemoryObjectives(createMemoryDisk())
  const problems: unknown[] = []
  const open = () =>
    recordObjectives({
      ...{ store, clock, isUp: () => true, runs: () => 0, ...options },
      warn: (what, error) => problems.push([what, error]),
    })
  return { clock, begin, store, problems, open, stored: () => store.list({ from: 0, limit: 1_440 }) }
}

describe('the record of the promises', () => {
  it('[H-15] is a row a minute, stored when the minute is over', async () => {
    const { clock, begin, open, stored } = recorder({ runs: () => 7 })
    const record = open()
    record.recovered(412.4)
    record.parsed(20)
    record.transition(0.4)
    record.transition(60)
    await clock.pass(MINUTE)
    const [minute] = await stored()
    expect(minute).toMatchObject({ minute: begin, upMs: MINUTE, runs: 7, recoveryMs: 412 })
    expect([countOf(minute!.parse), countOf(minute!.transition)]).toEqual([1, 2])
    await clock.pass(MINUTE)
    expect((await stored())[1]).toMatchObject({ minute: begin + 1, upMs: MINUTE, recoveryMs: null })
    await record.close()
  })

  it('[H-15] counts only the time in which the server takes work', async () => {
    let up = true
    const { clock, open, stored } = recorder({ isUp: () => up })
    const record = open()
    await clock.pass(30_000)
    up = false
    await clock.pass(30_000)
    await record.close()
    expect((await stored())[0]).toMatchObject({ upMs: 30_000 })
  })

  it('[H-15] adds to what is stored of the minute when the server starts again in it', async () => {
    const { clock, open, stored, problems } = recorder()
    const first = open()
    first.transition(1)
    await clock.pass(20_000)
    await first.close()
    await clock.pass(10_000)
    const second = open()
    second.recovered(300)
    second.transition(1)
    await clock.pass(20_000)
    await second.close()
    const [minute] = await stored()
    expect(minute).toMatchObject({ upMs: 40_000, recoveryMs: 300 })
    expect(countOf(minute!.transition)).toBe(2)
    expect(problems).toEqual([])
  })

  it('[H-15] goes on when a minute cannot be stored', async () => {
    const { clock, begin, open, store, problems } = recorder()
    const put = store.put
    store.put = () => Promise.reject(new Error('full'))
    const record = open()
    await clock.pass(MINUTE)
    store.put = put
    await clock.pass(MINUTE)
    await record.close()
    expect(problems).toHaveLength(1)
    expect((await store.list({ from: 0, limit: 10 })).map(({ minute }) => minute)).toContain(begin + 1)
  })
})

describe('GET /objectives', () => {
  it('[H-15][H-O12] says how the five promises were measured over an hour, a day and thirty days, and the error budget', async () => {
    await using server = await openApiServer()
    const { ctx } = server
    const now = Math.floor(ctx.clock.now() / MINUTE)
    const histogram = (at: number, count: number) =>
      Array.from({ length: 21 }, (_, bucket) => (bucket === at ? count : 0))
    // Two days of minutes, of which half an hour is missing a day and a half ago.
    for (let minute = now - 2_880; minute < now; minute += 1) {
      if (minute >= now - 2_190 && minute < now - 2_160) continue
      const slow = minute < now - 1_440
      await server.objectives.put({
        ...{ minute, upMs: MINUTE, runs: 12, recoveryMs: minute === now - 2_160 ? 900 : null },
        parse: histogram(slow ? 13 : 5, 1),
        transition: histogram(2, 10),
      })
    }
    const { status, body } = await server.call('GET', '/api/v1/objectives')
    expect(status).toBe(200)
    const answer = body as {
      measured_since: string
      promises: {
        id: string
        windows: { window: string; value: number | null; samples: number; met: boolean | null }[]
      }[]
      error_budget: { used_minutes: number; used_percent: number; allowed_minutes: number; action: string }
    }
    const of = (id: string) =>
      answer.promises.find((one) => one.id === id)?.windows.map(({ window, met }) => [window, met])
    expect(answer.promises.map(({ id }) => id)).toEqual([
      'dag_parse',
      'state_transition',
      'recovery',
      'availability',
      'concurrency',
    ])
    expect(of('dag_parse')).toEqual([
      ['1h', true],
      ['1d', true],
      ['30d', false],
    ])
    expect(of('state_transition')?.map(([, met]) => met)).toEqual([true, true, true])
    expect(of('recovery')?.map(([, met]) => met)).toEqual([null, null, true])
    expect(of('availability')?.map(([, met]) => met)).toEqual([true, true, false])
    expect(of('concurrency')?.map(([, met]) => met)).toEqual([null, null, null])
    expect(answer.error_budget).toMatchObject({ allowed_minutes: 43.2, used_minutes: 30, action: 'careful' })
    expect(answer.measured_since).toBe(new Date((now - 2_880) * MINUTE).toISOString())
  })

  it('[H-15] says nothing of what was never measured', async () => {
    await using server = await openApiServer()
    const { body } = await server.call('GET', '/api/v1/objectives')
    expect(body).toMatchObject({ measured_since: null, error_budget: { used_minutes: 0, action: 'none' } })
  })
})
