import { describe, expect, it } from 'vitest'
import { createAttemptLog, type LoggedLine } from './attempt-log'

function logOf() {
  const written: LoggedLine[] = []
  let flooded = 0
  const log = createAttemptLog(
    (lines) => written.push(...lines),
    () => (flooded += 1),
  )
  return { log, written, texts: () => written.map(({ text }) => text), flooded: () => flooded }
}

describe('the log of an attempt', () => {
  it('[R-61] has both ends of 30,000 lines, and says how many lie between', () => {
    const { log, written, texts } = logOf()
    for (let n = 1; n <= 30_000; n += 1) log.write('stdout', `line ${n}`)
    expect(written).toHaveLength(10_000)
    log.end()
    expect(texts()[9_999]).toBe('line 10000')
    expect(texts()[10_000]).toBe(
      '18000 lines (193 KB) are left out here: of an attempt the first 10000 lines (1 MB) and the last 2000 (256 KB) are stored.',
    )
    expect(texts().slice(10_001)).toEqual(Array.from({ length: 2_000 }, (_, at) => `line ${28_001 + at}`))
    expect(written.at(-1)).toEqual({ stream: 'stdout', text: 'line 30000', agoMs: expect.any(Number) })
  })

  it('[R-61] leaves nothing out of what fits, and says so by saying nothing', () => {
    const { log, texts } = logOf()
    for (let n = 1; n <= 11_000; n += 1) log.write('stderr', `line ${n}`)
    log.end()
    expect(texts()).toEqual(Array.from({ length: 11_000 }, (_, at) => `line ${at + 1}`))
  })

  it('[R-61] bounds bytes as well', () => {
    const { log, texts } = logOf()
    for (let n = 1; n <= 3_000; n += 1) log.write('stdout', `${n} ${'x'.repeat(1_018)}`)
    log.end()
    const bytes = texts().reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0)
    expect(bytes).toBeLessThan(1.26 * 1024 ** 2)
    expect(texts().at(-1)).toMatch(/^3000 x/)
    expect(texts().filter((text) => text.includes('are left out here'))).toHaveLength(1)
  })

  it('[R-61] cuts a line that is too long between two characters, and says how long it was', () => {
    const { log, texts } = logOf()
    for (const start of ['', 'x']) log.write('stdout', `${start}${'😀'.repeat(20_000)}`)
    expect(texts().map((text) => /^x?(?:😀)+… \(line of \d+ bytes\)$/u.test(text))).toEqual([true, true])
  })

  it('has the last lines of a pipe, also the one that was not ended', () => {
    const { log, texts } = logOf()
    const text = Array.from({ length: 20_000 }, (_, at) => `${at}\n`).join('')
    log.raw('stdout', Buffer.from(`${text}the end`))
    log.end()
    expect(texts().at(-1)).toBe('the end')
    expect(texts().at(-2)).toBe('19999')
  })

  it('counts what the child has left out, and puts what comes then behind it', () => {
    const { log, texts } = logOf()
    log.write('stdout', 'first')
    log.leftOut(5, 100)
    log.write('stdout', 'last')
    expect(texts()).toEqual(['first'])
    log.end()
    expect(texts()).toEqual(['first', expect.stringMatching(/^5 lines \(100 bytes\) are left out/), 'last'])
  })

  it('[R-61] ends an attempt that prints 64 MB', () => {
    const { log, flooded } = logOf()
    const line = 'x'.repeat(60_000)
    for (let n = 0; n < 1_200; n += 1) log.write('stdout', line)
    expect(flooded()).toBe(1)
    const { log: other, flooded: otherFlooded } = logOf()
    other.leftOut(1, 65 * 1024 ** 2)
    expect(otherFlooded()).toBe(1)
  })
})
