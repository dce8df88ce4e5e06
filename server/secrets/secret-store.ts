import type { Clock } from '@/server/ports/clock'
import type { Cipher, SecretRows, SecretStore } from '@/server/ports/secrets'

/** Named secrets over their rows; a row opens only under the tenant and the name that it was sealed for. */
export function createSecretStore(options: {
  readonly rows: SecretRows
  readonly cipher: Cipher
  readonly clock: Pick<Clock, 'now'>
  readonly tenantId: string
}): SecretStore {
  const { rows, cipher, clock, tenantId } = options
  const purposeOf = (name: string) => `${tenantId}/secret/${name}`
  return {
    async reveal(name) {
      const row = await rows.find(name)
      return row === null ? null : cipher.open(row.sealed, purposeOf(name))
    },
    put: (name, value, by) =>
      rows.put({
        name,
        sealed: cipher.seal(value, purposeOf(name)),
        updatedAt: clock.now(),
        updatedBy: by.name,
        updatedById: by.id,
      }),
    list: () => rows.list(),
    remove: (name) => rows.remove(name),
  }
}
