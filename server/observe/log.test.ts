import { describe, expect, it } from 'vitest'
import { createLog } from './log'
import { logLine } from './log-line'

/** A log whose lines can be read. */
function logOf(options: { level?: string; secrets?: (string | null)[] } = {}) {
  const written: string[] = []
  const destination = { write: (text: string) => void written.push(text) }
  const log = createLog({ level: 'info', ...options, destination })
  return { log, written, lines: () => written.map((text) => logLine.parse(JSON.parse(text))) }
}

describe('the log', () => {
  it('[H-21] writes lines of one schema, with an error in the sentence that it belongs to', () => {
    const { log, lines } = logOf()
    log.warn('closing failed', new Error('the disk is gone', { cause: new Error('unplugged') }))
    const [line] = lines()
    expect(line).toMatchObject({ level: 'WARN', execution_id: null, trace_id: null })
    expect(line?.event).toMatch(/^closing failed: Error: the disk is gone/)
    expect(line?.event).toContain('unplugged')
    expect(line?.event).toContain('log.test.ts')
  })

  it('[H-21] writes nothing below its level', () => {
    const { log, written } = logOf({ level: 'warn' })
    log.info('nothing')
    expect([log.writes('info'), log.writes('error'), written.length]).toEqual([false, true, 0])
    const { log: silent, written: none } = logOf({ level: 'silent' })
    silent.fatal('nothing')
    expect(none).toEqual([])
  })

  it.each([
    ['a known secret', 'the key is s3cr3t-of-the-server, sadly', 's3cr3t-of-the-server'],
    ['a bearer token', 'refused Bearer abc.def-123', 'abc.def-123'],
    ['basic credentials', 'Authorization: Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
    ['a cookie', "{ cookie: 'penstock.session=abcdef' }", 'abcdef'],
    ['a token of a link', 'GET /sign-in?token=abcdef&next=/', 'abcdef'],
    ['a password in JSON', '{"password":"hunter2","user":"ada"}', 'hunter2'],
  ])('[H-21] takes %s out', (_what, text, secret) => {
    const { log, written } = logOf({ secrets: ['s3cr3t-of-the-server', null] })
    log.error(text)
    log.error('in an error', new Error(text))
    expect(written).toHaveLength(2)
    for (const line of written) {
      expect(line).not.toContain(secret)
      expect(line).toContain('[redacted]')
    }
  })

  it('[H-21] cuts what is too long, and stays one line', () => {
    const { log, written, lines } = logOf()
    log.error('x\n'.repeat(100_000))
    expect(lines()[0]?.event.length).toBe(16_000)
    expect(written.join('').trimEnd().split('\n')).toHaveLength(1)
  })
})
