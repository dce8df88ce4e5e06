import { error, type Issue } from '@/core/pipeline/issue'
import { isRecord } from '@/core/pipeline/json'
import { readCondition } from '@/core/pipeline/definition/node-parts'
import type { ValidationContext } from '@/core/pipeline/definition/read-node'
import { checkExpression } from './validate-node'

/** What must hold when every node has ended: it may read every node but those that run afterwards [H-1]. */
export function checkVerify({ verify }: Record<string, unknown>, context: ValidationContext): Issue[] {
  if (!Array.isArray(verify)) return []
  const names = new Set<unknown>()
  return (verify as unknown[]).flatMap((one, index): Issue[] => {
    if (!isRecord(one) || typeof one.check !== 'string') return []
    const issues: Issue[] = []
    if (names.has(one.name)) {
      const message = `'${String(one.name)}' is the name of another check`
      issues.push(error(['verify', index, 'name'], 'duplicate_check', message))
    }
    names.add(one.name)
    const path = ['verify', index, 'check']
    const read = readCondition(one.check, path, '{{ extract.rows > 0 }}')
    if (!read.ok) return [...issues, ...read.error]
    return [...issues, ...checkExpression(read.value, { read: null, context, path, locals: [], gate: false })]
  })
}
