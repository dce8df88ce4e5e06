import { randomBytes } from 'node:crypto'
import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The secret that signs cookies: stored in the data folder, readable by its owner alone, made at the first start.
 * @throws Error when the file holds something else than a key
 */
export function readOrMakeSecretKey(dataDir: string): string {
  const file = join(dataDir, 'secret.key')
  try {
    const made = openSync(file, 'wx', 0o600)
    try {
      writeSync(made, randomBytes(48).toString('base64url'))
      fsyncSync(made)
    } finally {
      closeSync(made)
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    chmodSync(file, 0o600)
  }
  const key = readFileSync(file, 'utf8').trim()
  if (key.length < 32)
    throw Object.assign(
      new Error(
        `${file} does not hold a key: remove it and a new one is made (everybody has to sign in again).`,
      ),
      { code: 'unusable_secret_key' },
    )
  return key
}
