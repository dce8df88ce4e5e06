import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { openApiServer } from '@/testing/api-server'
import { set } from '@/testing/definitions'
import { person } from '@/testing/person'
import { sendFrom } from '@/testing/send-from'
import { addressOf, guardDoor, Guesses } from './guesses'

const from = (remoteAddress: string, authorization = 'Bearer wrong') =>
  ({ socket: { remoteAddress }, headers: { authorization } }) as unknown as IncomingMessage

const trigger = { id: 'hook', type: 'webhook', secret: 'secret:guessed', inputs: {} }
const SECRET = 'a-long-secret-of-the-hook'

describe('[SECURITY] guesses', () => {
  it('an address that was wrong too often is not checked; others are; a right proof costs nothing; time gives back', async () => {
    let now = 0
    let checks = 0
    const guesses = new Guesses(1_000, () => now)
    const door = guardDoor(
      {
        callerOf: async ({ headers: { authorization } }) => {
          checks += 1
          return authorization === 'Bearer right' ? person('ada') : null
        },
        hostNames: new Set(),
        origins: new Set(),
      },
      guesses,
    )
    for (let at = 0; at < 100; at += 1) {
      expect(await door.callerOf(from('10.0.0.1', 'Bearer right'))).not.toBeNull()
    }
    checks = 0
    const flood = Array.from({ length: 1_600 }, () =>
      door.callerOf(from('10.0.0.1')).then(String, (error: { code: string }) => error.code),
    )
    const inTheMidst = door.callerOf(from('10.0.0.1', 'Bearer right')).catch(({ code }) => code as string)
    const answers = await Promise.all(flood)
    expect(new Set(answers.slice(0, 20))).toEqual(new Set(['null']))
    expect(new Set(answers.slice(20))).toEqual(new Set(['rate_limited']))
    expect(await inTheMidst).toBe('rate_limited')
    expect(checks).toBe(20)
    checks = 0
    const inside = door.callerOf(from('10.0.0.1', 'Bearer right'))
    await expect(inside).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 1 })
    expect(checks).toBe(0)
    expect(await door.callerOf(from('10.0.0.2', 'Bearer right'))).not.toBeNull()
    now += 1_000
    expect(await door.callerOf(from('10.0.0.1', 'Bearer right'))).not.toBeNull()
  })

  it('takes an IPv6 network for one address, and a mapped address for what it maps', () => {
    expect(addressOf(from('2001:db8:1:2:3:4:5:6'))).toBe('2001:db8:1:2')
    expect(addressOf(from('2001:db8:1:2::9'))).toBe('2001:db8:1:2')
    expect(addressOf(from('2001:db8::9'))).toBe('2001:db8:0:0')
    expect(addressOf(from('::1'))).toBe('0:0:0:0')
    expect(addressOf(from('fe80::1%eth0'))).toBe('fe80:0:0:0')
    expect(addressOf(from('::ffff:10.0.0.1'))).toBe('10.0.0.1')
  })

  it.each(['token', 'hook'] as const)(
    'the right %s inside a flood is refused there and taken from elsewhere',
    async (kind) => {
      await using api = await openApiServer()
      await api.ctx.secrets.put('guessed', SECRET, person('ada'))
      await api.call('POST', '/api/v1/pipelines', { id: 'p', triggers: [trigger], nodes: [set('a', {})] })
      const [path, method, right, done] =
        kind === 'token' ? ['/api/v1/whoami', 'GET', 'root', 200] : ['/hooks/p/hook', 'POST', SECRET, 202]
      expect(await sendFrom(`${api.base}${path}`, { method, token: right })).toBe(done)
      const answers: number[] = []
      for (let at = 0; at < 200; at += 1) {
        answers.push(await sendFrom(`${api.base}${path}`, { method, token: `wrong${at}` }))
      }
      // Five a second come back: few of so many were checked.
      expect(answers.filter((status) => status === 401).length).toBeLessThan(60)
      const flood = Array.from({ length: 100 }, (_, at) =>
        sendFrom(`${api.base}${path}`, { method, token: `w${at}` }),
      )
      expect(await sendFrom(`${api.base}${path}`, { method, token: right })).toBe(429)
      await Promise.all(flood)
      expect(await sendFrom(`${api.base}${path}`, { method, token: right, from: '127.0.0.2' })).toBe(done)
    },
  )
})
