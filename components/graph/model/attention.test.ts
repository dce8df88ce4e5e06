import { expect, it } from 'vitest'
import type { NodeStatus } from '@/core/engine/view/view'
import { attentionOf } from './attention'
import { BARE, type DrawnNode } from './drawing'

const node = (id: string, status: NodeStatus | null, more: Partial<DrawnNode> = {}): DrawnNode => ({
  ...BARE,
  id,
  kind: 'task',
  name: id,
  task: 'noop',
  outcomes: [],
  status,
  ...more,
})

it('a run is opened at what failed, else at what waits, else at what is at work', () => {
  const [done, works, waits] = [node('a', 'completed'), node('b', 'running'), node('c', 'waiting')]
  expect(attentionOf([done, works, waits, node('d', 'failed')])).toBe('d')
  expect(attentionOf([done, works, waits])).toBe('c')
  expect(attentionOf([done, works, node('e', 'running')])).toBe('b')
})

it('a run is opened at its beginning where nothing is to be seen to', () => {
  expect(attentionOf([node('a', null), node('b', 'pending'), node('c', 'completed')])).toBeNull()
  expect(attentionOf([node('a', 'failed', { handled: true }), node('b', 'completed')])).toBeNull()
})
