import { describe, expect, it } from 'vitest'
import { createLiveRehearsal, type LiveRehearsalStore } from './live-rehearsal'
import { openInPage } from '@/components/editor/model/background'
import { createRehearser, type Question } from './rehearser'
import { createRehearserClient, type RehearserResponder } from './rehearser-client'

const openRehearser = (): RehearserResponder => openInPage(async () => createRehearser())

const definition = { id: 'p', nodes: [{ id: 'a', task: 'noop', startWhen: 'event:pipeline.started' }] }

/** `stuck`: the first question is never answered. */
function setup({ stuck = false, outdatedMs = 60_000 } = {}) {
  const asked: Question[] = []
  const store = createLiveRehearsal(
    createRehearserClient(() => {
      const { ask, close } = openRehearser()
      return {
        close,
        ask: (question) => {
          asked.push(question)
          return stuck && asked.length === 1 ? new Promise(() => {}) : ask(question)
        },
      }
    }, openRehearser),
    outdatedMs,
  )
  return { asked, store }
}

const idle = (store: LiveRehearsalStore) =>
  new Promise<ReturnType<LiveRehearsalStore['getState']>>((resolve) => {
    const look = () => {
      if (store.getState().busy) return
      stop()
      resolve(store.getState())
    }
    const stop = store.subscribe(look)
    look()
  })

describe('a live rehearsal', () => {
  it('answers the latest, and skips what came between', async () => {
    const { asked, store } = setup()
    for (const duration of ['1s', '2s', '3s', '4s']) store.want(definition, { nodes: { a: { duration } } })
    const { shown, issues, trouble } = await idle(store)
    expect(shown!.endedAt - shown!.startedAt).toBe(4_000)
    expect([issues, trouble]).toEqual([[], null])
    expect(asked).toHaveLength(2)
    expect(asked[1]?.definition).toBeNull()
  })

  it('cancels an outdated rehearsal, and starts again', async () => {
    const { asked, store } = setup({ stuck: true, outdatedMs: 0 })
    store.want(definition, {})
    store.want(definition, { nodes: { a: { duration: '7s' } } })
    const { shown } = await idle(store)
    expect(shown!.endedAt - shown!.startedAt).toBe(7_000)
    // A new rehearser has to get the definition.
    expect(asked.map((question) => question.definition)).toEqual([definition, definition])
  })

  it('keeps what was shown last while the plan, or the definition, is wrong', async () => {
    const { store } = setup()
    store.want(definition, {})
    const first = await idle(store)
    store.want(definition, { nodes: { a: { duration: 'soon' } } })
    const refused = await idle(store)
    expect(refused).toMatchObject({ issues: [{ path: ['nodes', 'a', 'duration'] }], trouble: null })
    expect(refused.shown).toBe(first.shown)
    store.want({ ...definition, nodes: [] }, {})
    const broken = await idle(store)
    expect(broken.trouble).toMatch(/^The draft cannot run: /)
    expect(broken.shown).toBe(first.shown)
    store.want(definition, {})
    expect((await idle(store)).trouble).toBeNull()
  })
})
