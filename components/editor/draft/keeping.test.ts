import { describe, expect, it } from 'vitest'
import { createDraft } from './draft'
import { createKeeping, type Found, type Kept, type Line, type Sent } from './keeping'

const SAVED = 'id: a\nname: A\nnodes: []\n# end\n'
const base = { revision: 3, text: SAVED }

/** A server as others leave it, a line that may be cut, and a clock that goes on when it is told to. */
function house() {
  const server = {
    current: { ...base, by: 'ada', note: null } as Found['current'],
    draft: null as Found['draft'],
    versions: 10,
    reachable: true,
    refuses: null as string | null,
    puts: 0,
  }
  const answer = (version: number, change: () => number): Sent => {
    if (!server.reachable) return { kind: 'unreachable' }
    if (server.refuses !== null) return { kind: 'refused', message: server.refuses }
    if ((server.draft?.version ?? 0) !== version) return { kind: 'stale' }
    return { kind: 'saved', version: change() }
  }
  const line: Line = {
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
    find: async () => (server.reachable ? { current: server.current, draft: server.draft } : null),
  }
  function tab(text = SAVED, version = 0) {
    let now = 0
    let timers: { at: number; then: () => void }[] = []
    const shelf = { kept: null as Kept | null, room: true }
    const draft = createDraft(base, text, () => now)
    const keeping = createKeeping({
      draft,
      line,
      shelf: {
        put: (kept) => {
          if (shelf.room) shelf.kept = kept
          return shelf.room
        },
        clear: () => (shelf.kept = null),
      },
      known: { version, text, base: base.revision },
      wait: (ms, then) => {
        const timer = { at: now + ms, then }
        timers.push(timer)
        return () => (timers = timers.filter((other) => other !== timer))
      },
    })
    const stop = keeping.start()
    /** Lets time pass, and everything that is due come to its end. */
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
    return { draft, keeping, shelf, pass, stop, state: () => keeping.getState().state }
  }
  return { server, tab }
}
const renamed = (name: string) => SAVED.replace('name: A', `name: ${name}`)

describe('keeping a draft', () => {
  it('saves once after the last change, and lays it into the browser before', async () => {
    const { server, tab } = house()
    const { draft, pass, shelf, state } = tab()
    for (const name of ['B', 'Bo', 'Bob']) {
      draft.write(renamed(name))
      await pass(300)
    }
    expect(state()).toEqual({ kind: 'waiting' })
    expect(shelf.kept?.text).toBe(renamed('Bob'))
    expect(server.draft).toBeNull()
    await pass(800)
    expect(server.draft).toMatchObject({ text: renamed('Bob'), base })
    expect([server.puts, state(), shelf.kept]).toEqual([1, { kind: 'saved' }, null])
  })

  it('takes the draft back from the server when nothing differs any more', async () => {
    const { server, tab } = house()
    const { draft, pass, state } = tab()
    draft.write(renamed('B'))
    await pass(1_000)
    draft.undo()
    await pass(1_000)
    expect([server.draft, state()]).toEqual([null, { kind: 'same' }])
  })

  it('keeps it in the browser while there is no line, and sends it when there is one', async () => {
    const { server, tab } = house()
    const { draft, pass, state, shelf, keeping } = tab()
    server.reachable = false
    draft.write(renamed('B'))
    await pass(1_000)
    expect(state()).toEqual({ kind: 'offline', kept: true })
    expect(keeping.wouldLose()).toBe(false)
    draft.write(renamed('C'))
    await pass(3_000)
    expect(shelf.kept?.text).toBe(renamed('C'))
    server.reachable = true
    keeping.retry()
    await pass(0)
    expect([server.draft?.text, state(), shelf.kept]).toEqual([renamed('C'), { kind: 'saved' }, null])
  })

  it('says when neither has it', async () => {
    const { server, tab } = house()
    const { draft, pass, state, shelf, keeping } = tab()
    server.reachable = false
    shelf.room = false
    draft.write(renamed('B'))
    await pass(1_000)
    expect(state()).toEqual({ kind: 'offline', kept: false })
    expect(keeping.wouldLose()).toBe(true)
  })

  it('brings in what another tab did elsewhere, as a step that can be undone', async () => {
    const { server, tab } = house()
    const [one, two] = [tab(), tab()]
    one.draft.write(renamed('B'))
    await one.pass(1_000)
    two.draft.write(SAVED.replace('# end', '# the end'))
    await two.pass(1_000)
    const both = renamed('B').replace('# end', '# the end')
    expect([two.draft.getState().text, server.draft?.text]).toEqual([both, both])
    expect(two.keeping.getState().conflict).toBeNull()
    two.draft.undo()
    expect(two.draft.getState().text).toBe(SAVED.replace('# end', '# the end'))
  })

  it('asks where both changed the same, saves nothing before, and then what was decided', async () => {
    const { server, tab } = house()
    const [one, two] = [tab(), tab()]
    one.draft.write(renamed('One'))
    await one.pass(1_000)
    two.draft.write(renamed('Two'))
    await two.pass(5_000)
    expect(two.keeping.getState().conflict?.sides).toEqual({
      base: SAVED,
      mine: renamed('Two'),
      theirs: renamed('One'),
    })
    expect(server.draft?.text).toBe(renamed('One'))
    expect(two.shelf.kept?.text).toBe(renamed('Two'))
    two.keeping.solve(renamed('Both'))
    await two.pass(1_000)
    expect([server.draft?.text, two.state()]).toEqual([renamed('Both'), { kind: 'saved' }])
  })

  it('stands on the new revision when another tab has published', async () => {
    const { server, tab } = house()
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

  it('begins the draft again when another tab has discarded it', async () => {
    const { server, tab } = house()
    const { draft, pass } = tab(renamed('B'), 0)
    await pass(1_000)
    server.draft = null
    draft.write(renamed('C'))
    await pass(2_000)
    expect(server.draft).toMatchObject({ text: renamed('C'), base })
  })

  it('publishes nothing over what another tab has saved and this one has not seen', async () => {
    const { server, tab } = house()
    const [one, two] = [tab(), tab()]
    one.draft.write(renamed('B'))
    await one.pass(1_000)
    expect(await two.keeping.publishing(async () => 'published')).toBeNull()
    expect(two.draft.getState().text).toBe(renamed('B'))
    const published = await two.keeping.publishing(async () => {
      const { text } = two.draft.getState()
      server.current = { revision: 4, text, by: 'me', note: null }
      server.draft = null
      two.draft.rebase({ revision: 4, text })
      return 'published'
    })
    expect([published, two.state()]).toEqual(['published', { kind: 'same' }])
  })

  it('brings a newer revision in, and the draft stands on it', async () => {
    const { server, tab } = house()
    const { draft, pass, keeping } = tab()
    draft.write(renamed('Mine'))
    await pass(1_000)
    server.current = { revision: 4, text: `${SAVED}# theirs\n`, by: 'bob', note: 'Why' }
    expect(await keeping.takeRevision()).toBe(true)
    await pass(1_000)
    expect(draft.getState()).toMatchObject({
      text: `${renamed('Mine')}# theirs\n`,
      saved: { revision: 4 },
    })
    expect(server.draft).toMatchObject({ base: { revision: 4 } })
    server.current = { revision: 5, text: renamed('Theirs'), by: 'bob', note: 'Why' }
    await keeping.takeRevision()
    expect(keeping.getState().conflict?.other).toEqual({ revision: 5, by: 'bob', note: 'Why' })
  })

  it('brings back what the browser kept: all of it when nobody saved since, else together with what was saved', async () => {
    const { tab } = house()
    const one = tab()
    one.keeping.bringBack({ text: renamed('B'), known: { version: 0, text: SAVED, base: 3 } })
    expect(one.draft.getState().text).toBe(renamed('B'))
    const two = tab(`${SAVED}# saved\n`, 12)
    two.keeping.bringBack({ text: renamed('B'), known: { version: 11, text: SAVED, base: 3 } })
    expect(two.draft.getState().text).toBe(`${renamed('B')}# saved\n`)
  })

  it('is sent once more when the editor is left', async () => {
    const { server, tab } = house()
    const { draft, stop, pass, shelf } = tab()
    draft.write(renamed('B'))
    stop()
    expect(shelf.kept?.text).toBe(renamed('B'))
    await pass(0)
    await new Promise((resolve) => setImmediate(resolve))
    expect([server.draft?.text, shelf.kept]).toEqual([renamed('B'), null])
  })

  it('keeps the draft of a pipeline that was deleted, as one of a pipeline that is to come', async () => {
    const { server, tab } = house()
    const { draft, keeping, pass, state } = tab()
    draft.write(renamed('B'))
    await pass(1_000)
    server.current = null
    draft.write(renamed('C'))
    expect(await keeping.takeRevision()).toBe(true)
    await pass(1_000)
    expect(draft.getState()).toMatchObject({ text: renamed('C'), saved: { revision: 0, text: '' } })
    expect([server.draft, state()]).toMatchObject([{ text: renamed('C') }, { kind: 'saved' }])
  })

  it('tells what was refused and where it lies, and tries once more when one comes back', async () => {
    const { server, tab } = house()
    const { draft, keeping, pass, shelf, state } = tab()
    server.refuses = 'Sign in first.'
    draft.write(renamed('B'))
    await pass(1_000)
    expect(state()).toEqual({ kind: 'refused', message: 'Sign in first.', kept: true })
    expect([keeping.wouldLose(), shelf.kept?.text]).toEqual([false, renamed('B')])
    server.refuses = null
    keeping.retry()
    await pass(10)
    expect([server.draft?.text, state()]).toEqual([renamed('B'), { kind: 'saved' }])
  })
})
