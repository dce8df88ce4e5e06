import { memoryAdapter } from 'better-auth/adapters/memory'
import { betterAuth } from 'better-auth'
import { describe, expect, it } from 'vitest'
import { authOptions } from './auth-options'
import { createAuthentication } from './authentication'

const token = 'bootstrap-token-of-this-test'

const allRoles = ['viewer', 'admin']
const owner = { id: 'usr_1', name: 'owner', email: 'owner@penstock.invalid', emailVerified: true, roles: '' }

function open(publicUrl = 'http://127.0.0.1:3000') {
  const tables: Record<string, Record<string, unknown>[]> = {
    // As the migrations leave it.
    user: [{ ...owner }],
    session: [],
    account: [],
    verification: [],
  }
  const options = {
    database: memoryAdapter(tables),
    secret: 'a secret of at least thirty-two characters',
    publicUrl: new URL(publicUrl),
    bootstrapToken: token,
    allRoles,
    log: () => {},
  }
  return { authentication: createAuthentication(options), tables, options }
}

const cookieOf = (cookies: readonly string[] | null) =>
  (cookies ?? []).map((cookie) => cookie.split(';')[0]).join('; ')

describe('authentication', () => {
  it('[R-92] knows the bootstrap token, which acts as the owner, and no other, whatever cookie comes with it', async () => {
    const { authentication } = open()
    expect(await authentication.principalOf({ authorization: `Bearer ${token}` })).toEqual({
      id: owner.id,
      kind: 'user',
      name: 'bootstrap',
      roles: allRoles,
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
      expect(await authentication.principalOf({ authorization: wrong, cookie }), wrong).toBeNull()
    }
    expect(await authentication.principalOf({})).toBeNull()
  })

  it('[R-92] names everybody who has an account, the owner with every role', async () => {
    const { authentication, tables } = open()
    tables['user']!.push({
      ...owner,
      id: 'usr_2',
      name: 'ben',
      email: 'ben@test.invalid',
      roles: 'approver,viewer',
    })
    expect(await authentication.people()).toEqual([
      { id: 'usr_1', name: 'owner', roles: allRoles },
      { id: 'usr_2', name: 'ben', roles: ['approver', 'viewer'] },
    ])
  })

  it('[R-92] makes a session of the owner out of a one-time token, once', async () => {
    const { authentication, tables } = open()
    const link = await authentication.issueSignInToken()
    expect(JSON.stringify(tables.verification)).not.toContain(link)
    const cookies = await authentication.redeem(link)
    expect(cookies?.join()).toMatch(/HttpOnly/i)
    expect(cookies?.join()).toMatch(/SameSite=Lax/i)
    expect(await authentication.principalOf({ cookie: cookieOf(cookies) })).toEqual({
      id: owner.id,
      kind: 'user',
      name: 'owner',
      roles: allRoles,
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
    expect(await authentication.principalOf({ cookie })).toBeNull()
  })

  it('marks the cookie secure when people come by https', async () => {
    const { authentication } = open('https://penstock.example')
    const cookies = await authentication.redeem(await authentication.issueSignInToken())
    expect(cookies?.join()).toMatch(/__Secure-penstock\..*Secure/s)
    expect(await authentication.principalOf({ cookie: cookieOf(cookies) })).not.toBeNull()
  })

  it('[R-92] gives a new user an id that no handle can be, and no role', async () => {
    const { authentication, options } = open()
    const links: string[] = []
    const auth = betterAuth(authOptions(options, (link) => links.push(link)))
    const { internalAdapter } = await auth.$context
    const ada = await internalAdapter.createUser(
      { name: 'ada', email: 'ada@example.org' },
      { method: 'magic-link' },
    )
    expect(ada.id).toMatch(/^usr_[0-9a-f]{32}$/)
    await auth.api.signInMagicLink({ body: { email: 'ada@example.org' }, headers: new Headers() })
    const cookie = cookieOf(await authentication.redeem(links[0] ?? ''))
    expect(await authentication.principalOf({ cookie })).toEqual({
      id: ada.id,
      kind: 'user',
      name: 'ada',
      roles: [],
      via: 'session',
    })
    await internalAdapter.updateUser(ada.id, { roles: 'viewer,operator' })
    expect(await authentication.principalOf({ cookie })).toMatchObject({
      id: ada.id,
      roles: ['viewer', 'operator'],
    })
  })

  it('[R-92] makes no user under a reserved name, and none by a link', async () => {
    const { authentication, tables, options } = open()
    const links: string[] = []
    const auth = betterAuth(authOptions(options, (link) => links.push(link)))
    const { internalAdapter } = await auth.$context
    for (const name of ['owner', 'bootstrap', 'engine', 'schedule:daily', 'hook:in', 'usr_1'])
      await expect(
        internalAdapter.createUser({ name, email: 'eve@example.org' }, { method: 'magic-link' }),
        name,
      ).rejects.toThrow()
    await auth.api.signInMagicLink({ body: { email: 'eve@example.org' }, headers: new Headers() })
    expect(await authentication.redeem(links[0] ?? '')).toBeNull()
    expect(tables.user).toHaveLength(1)
  })
})
