import { memoryAdapter } from 'better-auth/adapters/memory'
import { describe, expect, it } from 'vitest'
import { createAuthentication } from './authentication'

const token = 'bootstrap-token-of-this-test'

function open(publicUrl = 'http://127.0.0.1:3000') {
  const tables: Record<string, Record<string, unknown>[]> = {
    user: [],
    session: [],
    account: [],
    verification: [],
  }
  const authentication = createAuthentication({
    database: memoryAdapter(tables),
    secret: 'a secret of at least thirty-two characters',
    publicUrl: new URL(publicUrl),
    bootstrapToken: token,
    allRoles: ['viewer', 'admin'],
    log: () => {},
  })
  return { authentication, tables }
}

const cookieOf = (cookies: readonly string[] | null) =>
  (cookies ?? []).map((cookie) => cookie.split(';')[0]).join('; ')

describe('authentication', () => {
  it('knows the bootstrap token and no other, whatever cookie comes with it', async () => {
    const { authentication } = open()
    expect(await authentication.personOf({ authorization: `Bearer ${token}` })).toEqual({
      name: 'bootstrap',
      roles: ['viewer', 'admin'],
      via: 'token',
    })
    const cookie = cookieOf(await authentication.redeem(await authentication.issueSignInToken()))
    for (const wrong of [
      'Bearer wrong',
      `Bearer ${token}x`,
      `Basic ${token}`,
      'Bearer',
      '',
      `Bearer ${token} ${token}`,
    ]) {
      expect(await authentication.personOf({ authorization: wrong, cookie }), wrong).toBeNull()
    }
    expect(await authentication.personOf({})).toBeNull()
  })

  it('makes the owner and a session out of a one-time token, once', async () => {
    const { authentication, tables } = open()
    const link = await authentication.issueSignInToken()
    expect(JSON.stringify(tables.verification)).not.toContain(link)
    const cookies = await authentication.redeem(link)
    expect(cookies?.join()).toMatch(/HttpOnly/i)
    expect(cookies?.join()).toMatch(/SameSite=Lax/i)
    expect(await authentication.personOf({ cookie: cookieOf(cookies) })).toEqual({
      name: 'owner',
      roles: ['viewer', 'admin'],
      via: 'session',
    })
    expect(await authentication.redeem(link)).toBeNull()
  })

  it('gives one session when the same token is used twice at once', async () => {
    const { authentication, tables } = open()
    const link = await authentication.issueSignInToken()
    const both = await Promise.all([authentication.redeem(link), authentication.redeem(link)])
    expect(both.filter(Boolean)).toHaveLength(1)
    expect(tables.session).toHaveLength(1)
  })

  it('lets the owner in again by a later link, as the same person', async () => {
    const { authentication, tables } = open()
    await authentication.redeem(await authentication.issueSignInToken())
    await authentication.redeem(await authentication.issueSignInToken())
    expect(tables.user).toHaveLength(1)
    expect(tables.session).toHaveLength(2)
  })

  it('refuses tokens that are forged, empty or expired', async () => {
    const { authentication, tables } = open()
    const link = await authentication.issueSignInToken()
    for (const wrong of ['', 'x', 'a'.repeat(43), `${link}a`, `${link}\n`, '../../etc/passwd']) {
      expect(await authentication.redeem(wrong), wrong).toBeNull()
    }
    const row = tables.verification?.[0]
    if (row) row.expiresAt = new Date(0)
    expect(await authentication.redeem(link)).toBeNull()
  })

  it('ends a session at sign-out', async () => {
    const { authentication } = open()
    const cookie = cookieOf(await authentication.redeem(await authentication.issueSignInToken()))
    await authentication.signOut({ cookie })
    expect(await authentication.personOf({ cookie })).toBeNull()
  })

  it('marks the cookie secure when people come by https', async () => {
    const { authentication } = open('https://penstock.example')
    const cookies = await authentication.redeem(await authentication.issueSignInToken())
    expect(cookies?.join()).toMatch(/__Secure-penstock\..*Secure/s)
    expect(await authentication.personOf({ cookie: cookieOf(cookies) })).not.toBeNull()
  })
})
