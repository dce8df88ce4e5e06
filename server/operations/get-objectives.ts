import { z } from 'zod'
import { formatInstant } from '@/core/engine/instant'
import { errorBudget, measure, WINDOWS, type Minute, type Window } from '@/core/objectives/promises'
import type { OperationContext } from './context'
import { operation } from './operation'
import { count, instantText } from './schemas/json'

const MINUTE_MS = 60_000
/** A minute is stored so long after its end at the latest. */
const STORED_MS = 10_000
/** Rows of one query: a day. */
const PAGE = 1_440

const ids = ['dag_parse', 'state_transition', 'recovery', 'availability', 'concurrency'] as const
const windows = ['1h', '1d', '30d'] as const satisfies readonly Window[]

/** The five promises of the server, as they were measured, and what is left of its error budget [H-15, H-O12]. */
export const getObjectives = operation({
  kind: 'query',
  summary: 'Get the promises of the server and how they were measured',
  right: 'read',
  rest: { method: 'GET', path: '/objectives' },
  request: z.strictObject({}),
  answer: z.strictObject({
    /** null: nothing was measured yet. */
    measured_since: instantText.nullable(),
    promises: z.array(
      z.strictObject({
        id: z.enum(ids),
        promise: z.string(),
        unit: z.enum(['ms', 'percent', 'runs']),
        windows: z.array(
          z.strictObject({
            window: z.enum(windows),
            value: z.number().nullable(),
            /** Of what was measured: definitions, inputs, starts of the process, minutes. */
            samples: count,
            /** null: nothing was measured that could break it. */
            met: z.boolean().nullable(),
          }),
        ),
      }),
    ),
    error_budget: z.strictObject({
      window: z.literal('30d'),
      allowed_minutes: z.number(),
      used_minutes: z.number(),
      used_percent: z.number(),
      action: z.enum(['none', 'review', 'careful', 'fixes_only', 'freeze']),
    }),
  }),
  example: {
    request: {},
    answer: {
      measured_since: '2026-11-29T09:00:00.000Z',
      promises: [
        {
          id: 'dag_parse',
          promise: 'P95 below 120 ms',
          unit: 'ms',
          windows: [
            { window: '1h', value: 18.4, samples: 12, met: true },
            { window: '1d', value: 21, samples: 140, met: true },
            { window: '30d', value: 24.5, samples: 2_100, met: true },
          ],
        },
      ],
      error_budget: {
        window: '30d',
        allowed_minutes: 43.2,
        used_minutes: 4.3,
        used_percent: 10,
        action: 'none',
      },
    },
  },
  run: async (ctx) => {
    const now = ctx.clock.now()
    const first = await ctx.objectives.first()
    const minutes = first === null ? [] : await minutesSince(ctx, now)
    // The minute that is open is not stored yet: windows end with the last that is over.
    const end = Math.floor((now - STORED_MS) / MINUTE_MS)
    const measured = windows.map((window) => {
      const from = end - WINDOWS[window]
      const inside = minutes.filter(({ minute }) => minute >= from && minute < end)
      // The minute in which it all began was no whole one: it says nothing of downtime.
      const counted = inside.map((one) => (one.minute === first ? { ...one, upMs: 0 } : one))
      const elapsedMs = Math.max(0, end - Math.max(from, (first ?? end) + 1)) * MINUTE_MS
      return { window, elapsedMs, results: measure(counted, elapsedMs) }
    })
    const longest = measured.at(-1)
    const up = longest?.results.availability.value ?? 100
    const budget = errorBudget(((100 - up) / 100) * ((longest?.elapsedMs ?? 0) / MINUTE_MS))
    return {
      measured_since: first === null ? null : formatInstant(first * MINUTE_MS),
      promises: TEXTS.map(({ id, of, ...text }) => ({
        id,
        ...text,
        windows: measured.map(({ window, results }) => ({ window, ...rounded(results[of]) })),
      })),
      error_budget: {
        window: '30d' as const,
        allowed_minutes: budget.allowedMinutes,
        used_minutes: Math.round(budget.usedMinutes * 10) / 10,
        used_percent: Math.round(budget.usedShare * 1_000) / 10,
        action: budget.action,
      },
    }
  },
})

const TEXTS = [
  { id: 'dag_parse', of: 'parse', promise: 'P95 below 120 ms', unit: 'ms' },
  { id: 'state_transition', of: 'transition', promise: 'P90 below 50 ms', unit: 'ms' },
  { id: 'recovery', of: 'recovery', promise: 'below 30 s', unit: 'ms' },
  { id: 'availability', of: 'availability', promise: 'above 99.9 %', unit: 'percent' },
  { id: 'concurrency', of: 'concurrency', promise: '1,000 runs at once', unit: 'runs' },
] as const

const rounded = <M extends { readonly value: number | null }>(measured: M) => ({
  ...measured,
  value: measured.value === null ? null : Math.round(measured.value * 1e6) / 1e6,
})

/** The minutes of the longest window, a day at a time: nothing else waits long for it. */
async function minutesSince(ctx: OperationContext, now: number): Promise<Minute[]> {
  const minutes: Minute[] = []
  let from = Math.floor(now / MINUTE_MS) - WINDOWS['30d']
  for (;;) {
    const page = await ctx.objectives.list({ from, limit: PAGE })
    minutes.push(...page)
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return minutes
    from = last.minute + 1
  }
}
