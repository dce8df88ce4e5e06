import { expect, it } from 'vitest'
import { orderText } from './order-text'

it('[H-3][H-4] says why a node goes before the next one', () => {
  const b = { executionId: 'x', nodeId: 'b', priority: 5, path: 720_000, risk: 0.7 }
  const c = { executionId: 'x', nodeId: 'c', priority: 5, path: 90_000, risk: 0 }
  expect(orderText(b, c)).toBe(
    'before c: 12 min of critical path × risk 0.7 over 2 min of critical path × risk 0',
  )
  expect(orderText({ ...b, priority: 7 }, c)).toBe('before c: priority 7 over 5')
  expect(orderText(b, { ...c, executionId: 'y' })).toBe(
    'before c of y: it has waited longer, or its run holds less',
  )
  expect(orderText({ ...b, path: 5_400_000 }, { ...c, path: 12 })).toContain('1.5 h of critical path')
})
