import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import type { Cipher } from '@/server/ports/secrets'
import { SecretError } from './secret-error'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const SEALED = /^v1\.([0-9a-f]{16})\.([A-Za-z0-9_-]+)$/

/**
 * AES-256-GCM under keys derived from the installation's secret. A sealed text is `v1.KEY_ID.BASE64URL(nonce, text, tag)`; the
 * purpose is authenticated with it, so a value that is moved to another row does not open.
 * @param secrets the first seals, all of them open: an old one stays here until everything is sealed anew
 */
export function createCipher(secrets: readonly [string, ...string[]]): Cipher {
  const keys = secrets.map(keyOf)
  const current = keys[0]!
  const byId = new Map(keys.map((key) => [key.id, key.bytes]))
  return {
    seal(plain, purpose) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, current.bytes, nonce)
      cipher.setAAD(Buffer.from(purpose))
      const body = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `v1.${current.id}.${body.toString('base64url')}`
    },
    open(sealed, purpose) {
      const [, id, text] = SEALED.exec(sealed) ?? []
      if (id === undefined || text === undefined)
        throw new SecretError('damaged', 'This is not a sealed value.')
      const key = byId.get(id)
      if (key === undefined) {
        throw new SecretError(
          'unknown_key',
          'The value was sealed under another secret key: bring back the key (PENSTOCK_SECRET_KEY, or secret.key in the data folder) or set the value again.',
        )
      }
      const body = Buffer.from(text, 'base64url')
      if (body.length < NONCE_BYTES + TAG_BYTES)
        throw new SecretError('damaged', 'The sealed value is cut short.')
      const decipher = createDecipheriv(ALGORITHM, key, body.subarray(0, NONCE_BYTES))
      decipher.setAAD(Buffer.from(purpose))
      decipher.setAuthTag(body.subarray(-TAG_BYTES))
      try {
        const plain = decipher.update(body.subarray(NONCE_BYTES, -TAG_BYTES))
        return Buffer.concat([plain, decipher.final()]).toString('utf8')
      } catch (error) {
        throw new SecretError('damaged', 'The sealed value was changed, or belongs to something else.', {
          cause: error,
        })
      }
    },
  }
}

function keyOf(secret: string): { readonly id: string; readonly bytes: Buffer } {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', 'penstock: values at rest', 32))
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 16), bytes }
}
