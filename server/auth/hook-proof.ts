import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { CheckHookProof, HookCall } from '@/server/ports/hook-proof'

/** How far the time of a signature may be from now, either way. */
const WINDOW_MS = 5 * 60_000
/** What `webhook-id` may be: it becomes an idempotency key. */
const idPattern = /^[\x21-\x7e]{1,200}$/
const MOST_SIGNATURES = 20

/** Stands in for a secret that is not there, so that the answer takes as long; nobody knows it. */
const unguessable = randomBytes(32).toString('hex')

/**
 * Checks the proof of a call: a bearer token, a Standard Webhooks signature (HMAC-SHA256 over id, time and body, at most five
 * minutes old), or GitHub's (HMAC-SHA256 over the body). Where the trigger leaves the choice, a call that comes with a
 * signature is held to it: a wrong one is not made good by a token.
 */
export const checkHookProof: CheckHookProof = (secret, auth, call) => {
  const found = check(secret ?? unguessable, auth ?? schemeOf(call), call)
  return secret === null ? null : found
}

function schemeOf({ headers }: HookCall): 'bearer' | 'standard' {
  return headers['webhook-signature'] === undefined ? 'bearer' : 'standard'
}

function check(
  secret: string,
  auth: 'bearer' | 'standard' | 'github',
  call: HookCall,
): { key: string | null } | null {
  switch (auth) {
    case 'bearer':
      return checkBearer(secret, call)
    case 'standard':
      return checkStandard(secret, call)
    case 'github':
      return checkGithub(secret, call)
  }
}

function checkBearer(secret: string, { headers }: HookCall): { key: null } | null {
  const token = /^Bearer (.+)$/i.exec(headers['authorization'] ?? '')?.[1]
  return token !== undefined && same(token, secret) ? { key: null } : null
}

function checkStandard(secret: string, { headers, body, now }: HookCall): { key: string } | null {
  const id = headers['webhook-id'] ?? ''
  const timestamp = headers['webhook-timestamp'] ?? ''
  if (!idPattern.test(id) || !/^\d{1,12}$/.test(timestamp)) return null
  if (Math.abs(now - Number(timestamp) * 1_000) > WINDOW_MS) return null
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret
  if (key.length === 0) return null
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
  // Several while a secret is being replaced; each with its version in front.
  const given = (headers['webhook-signature'] ?? '').split(' ').slice(0, MOST_SIGNATURES)
  return given.some((signature) => same(signature, `v1,${expected}`)) ? { key: id } : null
}

function checkGithub(secret: string, { headers, body }: HookCall): { key: string } | null {
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  // This signature has no time and no id: the body itself is what is not to come twice.
  return same(headers['x-hub-signature-256'] ?? '', expected) ? { key: expected } : null
}

/** Equal, in a time that does not depend on where they differ. */
function same(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(left), digest(right))
}
