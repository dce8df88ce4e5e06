import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { checkHookProof } from './hook-proof'

const now = Date.UTC(2026, 0, 2, 3, 4, 5)
const bytes = (text: string) => new TextEncoder().encode(text)
const whsec = `whsec_${Buffer.from('a key of twenty-four chars').toString('base64')}`

/** A call signed by the reference library. */
function signed(secret: string, text: string, at = now, id = 'msg_1') {
  const signature = new Webhook(secret).sign(id, new Date(at), text)
  return {
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at / 1000)),
      'webhook-signature': signature,
    } as Record<string, string>,
    body: bytes(text),
    now,
  }
}

describe('proofs of a call to a hook', () => {
  it('takes what the Standard Webhooks library signs, and names the call by its id', () => {
    const call = signed(whsec, '{"a": 1}')
    expect(checkHookProof(whsec, 'standard', call)).toEqual({ key: 'msg_1' })
    expect(checkHookProof(whsec, null, call)).toEqual({ key: 'msg_1' })
    const two = `v1,${'x'.repeat(44)} ${call.headers['webhook-signature']}`
    expect(
      checkHookProof(whsec, null, { ...call, headers: { ...call.headers, 'webhook-signature': two } }),
    ).toEqual({
      key: 'msg_1',
    })
  })

  it('takes a secret that is no key of that library as its text', () => {
    const signature = createHmac('sha256', 'plain words').update('7.100.{}').digest('base64')
    const headers = { 'webhook-id': '7', 'webhook-timestamp': '100', 'webhook-signature': `v1,${signature}` }
    const call = { headers, body: bytes('{}'), now: 100_000 }
    expect(checkHookProof('plain words', 'standard', call)).toEqual({ key: '7' })
  })

  it('refuses every change of what was signed: body, id, time, key, version', () => {
    const call = signed(whsec, '{"a": 1}')
    const changed = (headers: Record<string, string>, body = call.body) =>
      checkHookProof(whsec, null, { ...call, headers: { ...call.headers, ...headers }, body })
    expect(changed({})).not.toBeNull()
    // The same JSON written otherwise is other bytes.
    expect(changed({}, bytes('{"a":1}'))).toBeNull()
    expect(changed({ 'webhook-id': 'msg_2' })).toBeNull()
    expect(changed({ 'webhook-timestamp': String(now / 1000 + 1) })).toBeNull()
    expect(
      changed({ 'webhook-signature': call.headers['webhook-signature']!.replace('v1,', 'v1a,') }),
    ).toBeNull()
    expect(changed({ 'webhook-signature': '' })).toBeNull()
    expect(changed({ 'webhook-id': '' })).toBeNull()
    expect(checkHookProof(`whsec_${Buffer.from('another key').toString('base64')}`, null, call)).toBeNull()
  })

  it('takes a signature for five minutes, before and after', () => {
    const at = (age: number) => checkHookProof(whsec, null, signed(whsec, '{}', now - age))
    expect([at(299_000), at(-299_000)]).toEqual([{ key: 'msg_1' }, { key: 'msg_1' }])
    expect([at(301_000), at(-301_000)]).toEqual([null, null])
  })

  it('holds a call that comes with a signature to it, whatever token is beside it', () => {
    const call = signed(whsec, '{}')
    const headers = { ...call.headers, 'webhook-signature': 'v1,no', authorization: `Bearer ${whsec}` }
    expect(checkHookProof(whsec, null, { ...call, headers })).toBeNull()
    expect(checkHookProof(whsec, 'bearer', { ...call, headers })).toEqual({ key: null })
    expect(
      checkHookProof(whsec, 'standard', { ...call, headers: { authorization: `Bearer ${whsec}` } }),
    ).toBeNull()
  })

  it('takes the signature of GitHub where it is asked for, by its own example', () => {
    const secret = "It's a Secret to Everybody"
    const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
    const call = { headers: { 'x-hub-signature-256': signature }, body: bytes('Hello, World!'), now }
    expect(checkHookProof(secret, 'github', call)).toEqual({ key: signature })
    expect(checkHookProof(secret, null, call)).toBeNull()
    expect(checkHookProof(secret, 'github', { ...call, body: bytes('Hello, World?') })).toBeNull()
    expect(checkHookProof(secret, 'github', { ...call, headers: {} })).toBeNull()
    expect(
      checkHookProof(secret, 'github', { ...call, headers: { authorization: `Bearer ${secret}` } }),
    ).toBeNull()
  })

  it('fails closed: without a secret nothing is a proof', () => {
    // A key without bytes is one that everybody has.
    const none = createHmac('sha256', '')
      .update(`1.${now / 1000}.{}`)
      .digest('base64')
    const headers = {
      'webhook-id': '1',
      'webhook-timestamp': `${now / 1000}`,
      'webhook-signature': `v1,${none}`,
    }
    expect(checkHookProof('whsec_', null, { headers, body: bytes('{}'), now })).toBeNull()
    expect(checkHookProof('whsec_!', null, { headers, body: bytes('{}'), now })).toBeNull()
    for (const auth of [null, 'bearer', 'standard', 'github'] as const) {
      for (const token of ['', 'null', 'undefined']) {
        const empty = createHmac('sha256', token).update('{}').digest('hex')
        const headers = { authorization: `Bearer ${token}`, 'x-hub-signature-256': `sha256=${empty}` }
        expect(checkHookProof(null, auth, { headers, body: bytes('{}'), now })).toBeNull()
      }
      expect(checkHookProof(null, auth, signed(whsec, '{}'))).toBeNull()
    }
    const bare = (authorization: string) =>
      checkHookProof('word', null, { headers: { authorization }, body: bytes(''), now })
    expect(bare('Bearer word')).toEqual({ key: null })
    expect(['', 'Bearer ', 'word', 'Basic word', 'Bearer words', 'Bearer Word'].map(bare)).toEqual(
      Array.from({ length: 6 }, () => null),
    )
  })
})
