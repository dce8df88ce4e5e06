import { describe, expect, it } from 'vitest'
import { evaluate, parseExpression, type Scope } from './expression'

const values: Record<string, unknown> = {
  'system.scheduled_at': '2026-03-01T02:30:00.000Z',
  'a.at': '2026-11-27T08:30:00.000Z',
  'a.epoch': 1_764_232_200,
  'a.epoch_ms': 1_764_232_200_000,
  'a.bad': '2026-02-30T00:00:00Z',
  'a.list': [1],
  'a.seconds': 90,
}
const scope: Scope = {
  lookup: (name) => (name in values ? { value: values[name] } : undefined),
  names: () => Object.keys(values),
}

function value(source: string): unknown {
  const parsed = parseExpression(source)
  if (!parsed.ok) throw new Error(parsed.error.message)
  const result = evaluate(parsed.value, scope)
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

function fault(source: string): string {
  const parsed = parseExpression(source)
  if (!parsed.ok) return parsed.error.message
  const result = evaluate(parsed.value, scope)
  return result.ok ? `gives ${JSON.stringify(result.value)}` : result.error.message
}

describe('a timestamp', () => {
  it.each([
    ['2026-02-30T00:00:00Z', 'there is no day 2026-02-30'],
    ['2026-04-31T12:00:00+02:00', 'there is no day 2026-04-31'],
    ['2025-02-29T00:00:00Z', 'there is no day 2025-02-29'],
    ['2026-13-01T00:00:00Z', 'there is no day 2026-13-01'],
    ['2026-00-10T00:00:00Z', 'there is no day 2026-00-10'],
    ['2026-01-31T24:00:00Z', 'there is no time 24:00:00'],
    ['2026-01-31T23:60:00Z', 'there is no time 23:60:00'],
    ['2026-12-31T23:59:60Z', 'there is no time 23:59:60'],
    ['2026-01-31T06:00:00+25:00', 'end it with Z or an offset'],
    ['2026-01-31T06:00:00.000', 'has no time zone'],
    ['2026-01-31', 'write 2026-01-31T00:00:00Z'],
    ['Jan 31, 2026 06:00:00', 'is not a timestamp'],
    ['9999-12-31T23:59:59-01:00', 'outside of the years 1 to 9999'],
  ])('[R-81] that does not exist or may mean several instants is refused: %s', (text, message) => {
    expect(fault(`timestamp('${text}')`)).toContain(message)
  })

  it('[R-81] that a run brings is read as strictly', () => {
    expect(fault('timestamp(a.bad)')).toBe('there is no day 2026-02-30')
    expect(fault('timestamp(a.list)')).toContain('not a list')
  })

  it.each([
    ['2026-01-31T06:00:00.123456789+01:00', '2026-01-31T05:00:00.123Z'],
    ['2026-01-31T06:00:00.123456789Z', '2026-01-31T06:00:00.123Z'],
    ['2026-01-31T06:00:00.1-05:30', '2026-01-31T11:30:00.100Z'],
    ['2024-02-29t23:59:59z', '2024-02-29T23:59:59.000Z'],
    ['2026-01-31 06:00:00+0200', '2026-01-31T04:00:00.000Z'],
  ])('takes %s', (text, instant) => {
    expect(value(`timestamp('${text}')`)).toBe(instant)
  })

  it('takes seconds since 1970, and gives them', () => {
    expect(value('timestamp(a.epoch)')).toBe('2025-11-27T08:30:00.000Z')
    expect(value('timestamp(1764232200)')).toBe('2025-11-27T08:30:00.000Z')
    expect(value('timestamp(timestamp(a.at))')).toBe(values['a.at'])
    expect(fault('timestamp(a.epoch_ms)')).toContain('divide milliseconds by 1000')
    expect(value("int(timestamp('1969-12-31T23:59:59.500Z'))")).toBe(-1)
    expect(value('int(timestamp(a.at)) + 1')).toBe(Date.parse('2026-11-27T08:30:01Z') / 1000)
  })

  it('becomes a text, also that of a zone', () => {
    expect(value('string(timestamp(a.at))')).toBe('2026-11-27T08:30:00.000Z')
    expect(value("string(timestamp(a.at), 'America/Los_Angeles')")).toBe('2026-11-27T00:30:00.000-08:00')
    expect(value("string(timestamp(a.at), 'Asia/Kolkata')")).toBe('2026-11-27T14:00:00.000+05:30')
    expect(fault("string(timestamp(a.at), 'Nowhere/Zone')")).toBe('there is no such time zone: Nowhere/Zone')
  })

  it("names yesterday's partition in one expression", () => {
    const before = "timestamp(system.scheduled_at) - duration('1d')"
    expect(value(`'dt=' + string(${before}).substring(0, 10)`)).toBe('dt=2026-02-28')
    expect(value(`'dt=' + string(${before}, 'America/Los_Angeles').substring(0, 10)`)).toBe('dt=2026-02-27')
    expect(value(`string(${before}).substring(0, 10).split('-').join('')`)).toBe('20260228')
  })

  it('has the parts that the clock of a zone shows, whichever zone the server is in', () => {
    // Clocks in New York jump from 2:00 to 3:00 on this day: a server there must not jump for others.
    const zone = process.env.TZ
    process.env.TZ = 'America/New_York'
    try {
      const at = "timestamp('2026-03-08T02:30:00Z')"
      expect(value(`${at}.getHours('UTC')`)).toBe(2)
      expect(value(`${at}.getHours('Europe/Berlin')`)).toBe(3)
      expect(value(`${at}.getDate('America/New_York')`)).toBe(7)
      expect(value("timestamp('2026-07-01T00:30:00Z').getDayOfYear()")).toBe(181)
      expect(value("timestamp('2026-07-01T00:30:00Z').getDayOfYear('America/New_York')")).toBe(180)
      expect(value("timestamp('2026-01-01T00:00:00Z').getDayOfYear()")).toBe(0)
      expect(value("timestamp('0050-07-01T00:00:00Z').getFullYear('UTC')")).toBe(50)
    } finally {
      if (zone === undefined) delete process.env.TZ
      else process.env.TZ = zone
    }
    expect(fault('a.at.getHours()')).toBe(
      'getHours needs a timestamp, not a string; make one with timestamp(…)',
    )
  })

  it('moves within the years that there are', () => {
    expect(fault("string(timestamp('0001-01-01T00:00:00Z'), 'America/Los_Angeles')")).toContain(
      'outside of the years',
    )
    expect(fault("timestamp('0001-01-01T00:00:00Z').getFullYear('America/Los_Angeles')")).toContain(
      'outside of the years',
    )
    expect(fault("timestamp('9999-12-31T00:00:00Z') + duration('2d')")).toContain('outside of the years')
    expect(fault('timestamp(a.at) + timestamp(a.at)')).toBe(
      "'+' does not work on a timestamp and a timestamp",
    )
    expect(fault("timestamp(a.at) > '2026-01-01T00:00:00Z'")).toBe(
      "'>' does not compare a timestamp and a string; make it one with timestamp(…)",
    )
  })
})

describe('a duration', () => {
  it.each([
    ["string(duration('1h30m'))", '5400s'],
    ["string(duration('-1.5s') + duration('-700ms'))", '-2.2s'],
    ["string(duration('-0.25s'))", '-0.25s'],
    ["string(duration('1d') - duration('1ns'))", '86399.999999999s'],
    ["string(duration('P1DT2H'))", '93600s'],
    ["string(duration('.5s') + duration('1.s'))", '1.5s'],
    ["duration('-90s').getMinutes()", -1],
    ["duration('1500us').getMilliseconds()", 1],
    ["string(timestamp('2026-03-01T00:00:00Z') - timestamp('2026-02-28T00:00:00Z'))", '86400s'],
    ["timestamp('2026-03-01T00:00:00Z') - duration('1ms')", '2026-02-28T23:59:59.999Z'],
    ["duration('1m') >= duration('60s')", true],
  ])('[R-83] %s is %j', (source, expected) => {
    expect(value(source)).toBe(expected)
  })

  it.each(['s', '.s', '', '1x', '5', '1h5', 'P1Y', '--1s'])('[R-83] is not %j', (text) => {
    expect(fault(`duration('${text}')`)).toContain(`'${text}' is not a duration; write 250ms, 30s`)
  })

  it('is bounded', () => {
    expect(fault("duration('9999999d')")).toContain('10,000 years')
  })
})

describe('a hint', () => {
  it('names only what there is', () => {
    expect(fault("'at ' + timestamp(a.at)")).toContain('convert with string(…)')
    expect(value("'at ' + string(timestamp(a.at))")).toBe('at 2026-11-27T08:30:00.000Z')
    expect(fault("'for ' + duration('5m')")).toContain('convert with string(…)')
    expect(fault("'rows: ' + a.list")).toBe("'+' does not work on a string and a list")
    expect(fault("duration('5m')")).toBe('the result is a duration; make it a text with string(…)')
    expect(fault("b'a'")).toContain('string(…)')
    expect(value('5u')).toBe(5)
    expect(fault('type(1)')).not.toContain('string')
  })
})
