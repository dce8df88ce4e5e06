import { describe, expect, it } from 'vitest'
import { wait } from './contract'

describe('wait', () => {
  it.each([{ duration: '30s' }, { until: '2026-01-31T06:00:00+01:00' }])('takes %j', (input) => {
    expect(wait.input.safeParse(input).success).toBe(true)
  })

  it.each([
    {},
    { duration: 'soon' },
    { until: '2026-01-31T06:00:00' },
    { duration: '30s', until: '2026-01-31T06:00:00Z' },
  ])('refuses %j', (input) => {
    expect(wait.input.safeParse(input).success).toBe(false)
  })
})
