import { describe, expect, it } from 'vitest'
import { createDraft } from './draft'
import {
  createAutosave,
  type DraftServer,
  type LocalCopy,
  type SaveResult,
  type ServerDraft,
} from './autosave'

const SAVED = 'id: a\nname: A\nnodes: []\n# end\n'
const base = { revision: 3, text: SAVED }

/** A server that others may change or that is unreachable, and tabs with clocks that the test moves. */
function setup() {
  const server = {
    current: { ...base, by: 'ada', note: null } as ServerDraft['current'],
    draft: null as ServerDraft['draft'],
    versions: 10,
    reachable: true,
    refuses: null as string | null,
    puts: 0,
  }
  const answer = (version: number, change: () => number): SaveResult => {
    if (!server.reachable) return { kind: 'unreachable' }
    if (server.refuses !== null) return { kind: 'refused', message: server.refuses }
    if ((server.draft?.version ?? 0) !== version) return { kind: 'stale' }
    return { kind: 'saved', version: change() }
  }
  const connection: DraftServer = {
    put: async ({ text, base: revision, version }) =>
      answer(version, () => {
        server.puts += 1
        const from = revision === base.revision ? base : { revision, text: server.current?.text ?? '' }
        server.draft = { version: ++server.versions, text, base: from }
        return server.draft.version
      }),
    remove: async (version) =>
      answer(version, () => {
        server.draft = null
        return 0
      }),
    read: async () => (server.reachable ? { current: server.current, draft: server.draft } : null),
  }
  function tab(text = SAVED, version = 0) {
    let now = 0
    let timers: { at: number; then: () => void }[] = []
    const browser = { copy: null as LocalCopy | null, full: false }
    const draft = createDraft(base, text, () => now)
    const autosave = createAutosave({
      draft,
      server: connection,
      local: {
        save: (copy) => {
          if (!browser.full) browser.copy = copy
          return !browser.full
        },
        clear: () => (browser.copy = null),
      },
      known: { version, text, base: base.revision },
      wait: (ms, then) => {
        const timer = { at: now + ms, then }
        timers.push(timer)
        return () => (timers = timers.filter((other) => other !== timer))
      },
    })
    const stop = autosave.start()
    /** Moves the clock, and awaits everything that is due. */
    async function pass(ms: number) {
      const until = now + ms
      for (;;) {
        const due = timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
        if (due === undefined) break
        now = due.at
        timers = timers.filter((other) => other !== due)
        due.then()
        await new Promise((resolve) => setImmediate(resolve))
      }
      now = until
    }
    return { draft, autosave, browser, pass, stop, state: () => autosave.getState().state }
  }
  return { server, tab }
}
const renamed = (name: string) => SAVED.replace('name: A', `name: ${name}`)

describe('autosave', () => {
  it('saves once after the last change, and stores a copy in the browser before', async () => {
    const { server, tab } = setup()
    const { draft, pass, browser, state } = tab()
    for (const name of ['B', 'Bo', 'Bob']) {
      draft.write(renamed(name))
      await pass(300)
    }
    expect(state()).toEqual({ kind: 'waiting' })
    expect(browser.copy?.text).toBe(renamed('Bob'))
    expect(server.draft).toBeNull()
    await pass(800)
    expect(server.draft).toMatchObject({ text: renamed('Bob'), base })
    expect([server.puts, state(), browser.copy]).toEqual([1, { kind: 'saved' }, null])
  })

  it('removes the draft from the server when nothing differs any more', async () => {
    const { server, tab } = setup()
    const { draft, pass, state } = tab()
    draft.write(renamed('B'))
    await pass(1_000)
    draft.undo()
    await pass(1_000)
    expect([server.draft, state()]).toEqual([null, { kind: 'same' }])
  })

  it('stores a copy in the browser while the server cannot be reached, and sends it afterwards', async () => {
    const { server, tab } = setup()
    const { draft, pass, state, browser, autosave } = tab()
    server.reachable = false
    draft.write(renamed('B'))
    await pass(1_000)
    expect(state()).toEqual({ kind: 'offline', stored: true })
    expect(autosave.wouldLose()).toBe(false)
    draft.write(renamed('C'))
    await pass(3_000)
    expect(browser.copy?.text).toBe(renamed('C'))
    server.reachable = true
    autosave.retry()
    await pass(0)
    expect([server.draft?.text, state(), browser.copy]).toEqual([renamed('C'), { kind: 'saved' }, null])
  })

  it('reports when neither server nor browser has it', async () => {
    const { server, tab } = setup()
    const { draft, pass, state, browser, autosave } = tab()
    server.reachable = false
    browser.full = true
    draft.write(renamed('B'))
    await pass(1_000)
    expect(state()).toEqual({ kind: 'offline', stored: false })
    expect(autosave.wouldLose()).toBe(true)
  })

  it('merges what another tab changed elsewhere, as a step that can be undone', async () => {
    const { server, tab } = setup()
    const [one, two] = [tab(), tab()]
    one.draft.write(renamed('B'))
    await one.pass(1_000)
    two.draft.write(SAVED.replace('# end', '# the end'))
    await two.pass(1_000)
    const both = renamed('B').replace('# end', '# the end')
    expect([two.draft.getState().text, server.draft?.text]).toEqual([both, both])
    expect(two.autosave.getState().conflict).toBeNull()
    two.draft.undo()
    expect(two.draft.getState().text).toBe(SAVED.replace('# end', '# the end'))
  })

  it('asks where both changed the same, saves nothing before, and then saves the decision', async () => {
    const { server, tab } = setup()
    const [one, two] = [tab(), tab()]
    one.draft.write(renamed('One'))
    await one.pass(1_000)
    two.draft.write(renamed('Two'))
    await two.pass(5_000)
    expect(two.autosave.getState().conflict?.sides).toEqual({
      base: SAVED,
      mine: renamed('Two'),
      theirs: renamed('One'),
    })
    expect(server.draft?.text).toBe(renamed('One'))
    expect(two.browser.copy?.text).toBe(renamed('Two'))
    two.autosave.solve(renamed('Both'))
    await two.pass(1_000)
    expect([server.draft?.text, two.state()]).toEqual([renamed('Both'), { kind: 'saved' }])
  })

  it('is based on the new revision when another tab has published', async () => {
    const { server, tab } = setup()
    const { draft, pass, state } = tab(renamed('B'), 0)
    await pass(1_000)
    server.draft = null
    server.current = { revision: 4, text: renamed('B'), by: 'me', note: null }
    draft.write(renamed('B').replace('# end', '# the end'))
    await pass(2_000)
    expect(draft.getState().saved).toEqual({ revision: 4, text: renamed('B') })
    expect(server).toMatchObject({ draft: { base: { revision: 4 } } })
    expect(state()).toEqual({ kind: 'saved' })
  })

  it('creates the draft again when another tab has discarded it', async () => {
    const { server, tab } = setup()
    const { draft, pass } = tab(renamed('B'), 0)
    await pass(1_000)
    server.draft = null
    draft.write(renamed('C'))
    await pass(2_000)
    expect(server.draft).toMatchObject({ text: renamed('C'), base })
  })

  it('publishes nothing over what another tab has saved and this one has not seen', async () => {
    const { server, tab } = setup()
    const [one, two] = [tab(), tab()]
    one.draft.write(renamed('B'))
    await one.pass(1_000)
    expect(await two.autosave.publishing(async () => 'published')).toBeNull()
    expect(two.draft.getState().text).toBe(renamed('B'))
    const published = await two.autosave.publishing(async () => {
      const { text } = two.draft.getState()
      server.current = { revision: 4, text, by: 'me', note: null }
      server.draft = null
      two.draft.rebase({ revision: 4, text })
      return 'published'
    })
    expect([published, two.state()]).toEqual(['published', { kind: 'same' }])
  })

  it('merges a newer revision, and bases the draft on it', async () => {
    const { server, tab } = setup()
    const { draft, pass, autosave } = tab()
    draft.write(renamed('Mine'))
    await pass(1_000)
    server.current = { revision: 4, text: `${SAVED}# theirs\n`, by: 'bob', note: 'Why' }
    expect(await autosave.takeRevision()).toBe(true)
    await pass(1_000)
    expect(draft.getState()).toMatchObject({
      text: `${renamed('Mine')}# theirs\n`,
      saved: { revision: 4 },
    })
    expect(server.draft).toMatchObject({ base: { revision: 4 } })
    server.current = { revision: 5, text: renamed('Theirs'), by: 'bob', note: 'Why' }
    await autosave.takeRevision()
    expect(autosave.getState().conflict?.other).toEqual({ revision: 5, by: 'bob', note: 'Why' })
  })

  it('restores a copy of the browser: all of it when nobody saved since, else merged with what was saved', async () => {
    const { tab } = setup()
    const one = tab()
    one.autosave.restoreLocal({ text: renamed('B'), known: { version: 0, text: SAVED, base: 3 } })
    expect(one.draft.getState().text).toBe(renamed('B'))
    const two = tab(`${SAVED}# saved\n`, 12)
    two.autosave.restoreLocal({ text: renamed('B'), known: { version: 11, text: SAVED, base: 3 } })
    expect(two.draft.getState().text).toBe(`${renamed('B')}# saved\n`)
  })

  it('is sent once more when the editor is left', async () => {
    const { server, tab } = setup()
    const { draft, stop, pass, browser } = tab()
    draft.write(renamed('B'))
    stop()
    expect(browser.copy?.text).toBe(renamed('B'))
    await pass(0)
    await new Promise((resolve) => setImmediate(resolve))
    expect([server.draft?.text, browser.copy]).toEqual([renamed('B'), null])
  })

  it('keeps the draft of a pipeline that was deleted, as the draft of a new one', async () => {
    const { server, tab } = setup()
    const { draft, autosave, pass, state } = tab()
    draft.write(renamed('B'))
    await pass(1_000)
    server.current = null
    draft.write(renamed('C'))
    expect(await autosave.takeRevision()).toBe(true)
    await pass(1_000)
    expect(draft.getState()).toMatchObject({ text: renamed('C'), saved: { revision: 0, text: '' } })
    expect([server.draft, state()]).toMatchObject([{ text: renamed('C') }, { kind: 'saved' }])
  })

  it('reports why a save was refused and that a copy is stored, and tries again on request', async () => {
    const { server, tab } = setup()
    const { draft, autosave, pass, browser, state } = tab()
    server.refuses = 'Sign in first.'
    draft.write(renamed('B'))
    await pass(1_000)
    expect(state()).toEqual({ kind: 'refused', message: 'Sign in first.', stored: true })
    expect([autosave.wouldLose(), browser.copy?.text]).toEqual([false, renamed('B')])
    server.refuses = null
    autosave.retry()
    await pass(10)
    expect([server.draft?.text, state()]).toEqual([renamed('B'), { kind: 'saved' }])
  })
})
