import type { Principal } from '@/core/engine/principal'

/** The users of the installation, whoever they are: who may decide approvals is found out from it. */
export type People = {
  list(): Promise<readonly Pick<Principal, 'id' | 'name' | 'roles'>[]>
}
