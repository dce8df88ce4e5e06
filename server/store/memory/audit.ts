import type { AuditLog } from '@/server/ports/audit'
import { requireLimit } from '@/server/store/bounds'
import { copyOf } from './disk'
import type { MemoryDisk } from './disk'

const READ_MAX = 1_000

export function createMemoryAudit(disk: MemoryDisk): AuditLog {
  return {
    async append(record) {
      disk.audit.push(copyOf(record))
    },
    async read({ after = 0, limit }) {
      return copyOf(disk.audit.slice(after, after + requireLimit(limit, READ_MAX)))
    },
  }
}
