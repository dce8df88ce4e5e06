import { randomBytes } from 'node:crypto'

/** A secret as Standard Webhooks writes it: 32 random bytes. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** What a sealed secret belongs to: under another webhook it does not open. */
export function purposeOf(tenantId: string, webhookId: string): string {
  return `${tenantId}/webhook/${webhookId}`
}
