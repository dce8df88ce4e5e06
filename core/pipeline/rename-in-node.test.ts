import { describe, expect, it } from 'vitest'
import { renameInNode } from './rename-in-node'

const renamed = (node: Record<string, unknown>, from = 'a', to = 'a_2') => {
  const after = renameInNode(node, from, to)
  if (!after.ok) throw new Error(after.error.message)
  return after.value
}

describe('another id for a node that others mention', () => {
  it('in gates, conditions and templates, however deep; names and texts for people stay', () => {
    expect(
      renamed({
        id: 'b',
        name: 'after {{ a.rows }}',
        task: 'set',
        startWhen: 'event:a.completed && {{ a.rows > 1 }} || event:ab.failed',
        inputBindings: {
          rows: '{{ a.rows }}',
          text: 'a: {{ a.rows + ab.rows }}',
          list: [{ deep: '{{a.v}}' }],
          n: 1,
        },
        retry: { maxAttempts: 2, when: '{{ error.kind != a.kind }}' },
      }),
    ).toEqual({
      id: 'b',
      name: 'after {{ a.rows }}',
      task: 'set',
      startWhen: 'event:a_2.completed && {{ a_2.rows > 1 }} || event:ab.failed',
      inputBindings: {
        rows: '{{ a_2.rows }}',
        text: 'a: {{ a_2.rows + ab.rows }}',
        list: [{ deep: '{{a_2.v}}' }],
        n: 1,
      },
      retry: { maxAttempts: 2, when: '{{ error.kind != a_2.kind }}' },
    })
  })

  it('what cannot be read stays as it is written', () => {
    const broken = { id: 'b', startWhen: 'event:a.completed &&', inputBindings: { x: '{{ a. }}', y: '{{ a' } }
    expect(renamed(broken)).toEqual(broken)
  })

  it('refuses an id that would mean something else', () => {
    expect(renameInNode({ x: '{{ [1].exists(e, e == a.v) }}' }, 'a', 'e')).toMatchObject({ ok: false })
    expect(renameInNode({ startWhen: 'event:a.completed' }, 'a', 'item')).toMatchObject({ ok: false })
  })
})
