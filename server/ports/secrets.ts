import type { Identity } from '@/core/engine/principal'

/** Seals values for rest. What is sealed for one purpose does not open for another. */
export interface Cipher {
  /** `purpose` names what the value belongs to (tenant, kind, id); the same words open it again. */
  seal(plain: string, purpose: string): string
  /** @throws SecretError `unknown_key`, or `damaged` when text or purpose are not those of the sealing */
  open(sealed: string, purpose: string): string
}

/** What may be shown of a secret: never its value. */
export type SecretRow = {
  readonly name: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly updatedAt: number
  /** The name as it was shown, and the id of that principal. */
  readonly updatedBy: string
  readonly updatedById: string | null
}

/** The rows of secrets; values are sealed before they come here. */
export interface SecretRows {
  find(name: string): Promise<(SecretRow & { readonly sealed: string }) | null>
  /** Creates or replaces. Resolves when durable. */
  put(row: Omit<SecretRow, 'createdAt'> & { readonly sealed: string }): Promise<void>
  /** By name. */
  list(): Promise<SecretRow[]>
  remove(name: string): Promise<boolean>
}

/** Named values that definitions refer to as `secret:NAME`. Write-only for people; revealed to what uses them, and only then. */
export interface SecretStore {
  /** The value, or null when there is no secret of that name. */
  reveal(name: string): Promise<string | null>
  put(name: string, value: string, by: Identity): Promise<void>
  list(): Promise<SecretRow[]>
  remove(name: string): Promise<boolean>
}
