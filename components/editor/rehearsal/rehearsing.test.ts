import { describe, expect, it } from 'vitest'
import { createRehearsing, type RehearsingStore } from './rehearsing'
import type { Question } from './rehearser'
import { createStage, openRehearserInPage } from './stage'

const definition = { id: 'p', nodes: [{ id: 'a', task: 'noop', startWhen: 'event:pipeline.started' }] }

/** `deaf`: the first question is never answered. */
function house({ deaf = false, patienceMs = 60_000 } = {}) {
  const asked: Question[] = []
  const store = createRehearsing(
    createStage(() => {
      const { ask, close } = openRehearserInPage()
      return {
        close,
        ask: (question) => {
          asked.push(question)
          return deaf && asked.length === 1 ? new Promise(() => {}) : ask(question)
        },
      }
    }),
    patienceMs,
  )
  return { asked, store }
}

const atRest = (store: RehearsingStore) =>
  new Promise<ReturnType<RehearsingStore['getState']>>((resolve) => {
    const look = () => {
      if (store.getState().busy) return
      stop()
      resolve(store.getState())
    }
    const stop = store.subscribe(look)
    look()
  })

describe('rehearsing while one edits', () => {
  it('answers the latest, and skips what came between', async () => {
    const { asked, store } = house()
    for (const duration of ['1s', '2s', '3s', '4s']) store.want(definition, { nodes: { a: { duration } } })
    const { shown, issues, trouble } = await atRest(store)
    expect(shown!.endedAt - shown!.startedAt).toBe(4_000)
    expect([issues, trouble]).toEqual([[], null])
    expect(asked).toHaveLength(2)
    expect(asked[1]?.definition).toBeNull()
  })

  it('ends what nobody wants to know any more, and begins anew', async () => {
    const { asked, store } = house({ deaf: true, patienceMs: 0 })
    store.want(definition, {})
    store.want(definition, { nodes: { a: { duration: '7s' } } })
    const { shown } = await atRest(store)
    expect(shown!.endedAt - shown!.startedAt).toBe(7_000)
    // Whoever is new has to be told the definition.
    expect(asked.map((question) => question.definition)).toEqual([definition, definition])
  })

  it('keeps what was shown last while the plan, or the definition, is wrong', async () => {
    const { store } = house()
    store.want(definition, {})
    const first = await atRest(store)
    store.want(definition, { nodes: { a: { duration: 'soon' } } })
    const refused = await atRest(store)
    expect(refused).toMatchObject({ issues: [{ path: ['nodes', 'a', 'duration'] }], trouble: null })
    expect(refused.shown).toBe(first.shown)
    store.want({ ...definition, nodes: [] }, {})
    const broken = await atRest(store)
    expect(broken.trouble).toMatch(/^The draft cannot run: /)
    expect(broken.shown).toBe(first.shown)
    store.want(definition, {})
    expect((await atRest(store)).trouble).toBeNull()
  })
})
